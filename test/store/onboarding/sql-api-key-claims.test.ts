import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createSealer } from '../../../src/lib/sealing.ts';
import { apiKeyRef } from '../../../src/onboarding/onboarding-ids.ts';
import type { OnboardingOutcome } from '../../../src/onboarding/onboarding-record.ts';
import type { ClaimRequest } from '../../../src/store/onboarding/api-key-claims.ts';
import { putIssued } from '../../../src/store/issued-secret.ts';
import { createSqlApiKeyClaims, type ApiKeyClaims } from '../../../src/store/onboarding/sql-api-key-claims.ts';
import { createSqlSecretStore } from '../../../src/store/secret-store.ts';
import { beginOnboarding, endOnboarding } from '../../support/begin-onboarding.ts';
import { recordQueries, type RecordedQueries } from '../../support/record-queries.ts';
import { openTestRegister, type TestRegister } from '../../support/test-register.ts';
import type { Schema } from '../../../src/store/database.ts';

const TOKEN = 'so_live_the-token-of-the-tenant';
const START = Date.parse('2026-01-02T03:04:05.000Z');
const sealer = createSealer([randomBytes(32)]);

let opened: TestRegister;
let queries: RecordedQueries<Schema>;
let claims: ApiKeyClaims;
let nowMs: number;
const secrets = () => createSqlSecretStore(opened.database, sealer);

beforeEach(async () => {
  nowMs = START;
  opened = await openTestRegister();
  queries = recordQueries(opened.database);
  claims = createSqlApiKeyClaims(queries.database, sealer, () => nowMs);
});
afterEach(async () => {
  await queries.expectIndexed();
  await opened.end();
});

/** An onboarding of acme that has ended, and its stored token. */
async function ended(outcome: OnboardingOutcome, attemptId = 'attempt-1', keyId = 'key_1'): Promise<void> {
  await beginOnboarding(opened.register, 'acme', attemptId);
  const run = { tenantId: 'acme', attemptId, runId: attemptId };
  await opened.register.note({ ...run, at: new Date().toISOString() }, { keyId });
  if (outcome !== 'running') await endOnboarding(opened.register, 'acme', { outcome, onboarding: { keyId } });
  await putIssued(secrets(), apiKeyRef('acme'), { id: keyId, secret: TOKEN });
}

const request = (overrides: Partial<ClaimRequest> = {}): ClaimRequest => ({
  tenantId: 'acme',
  by: 'ada',
  apiTokenName: 'backend',
  idempotencyKey: undefined,
  ...overrides,
});

const claim = {
  tenantId: 'acme',
  attemptId: 'attempt-1',
  keyId: 'key_1',
  by: 'ada',
  apiTokenName: 'backend',
  at: '2026-01-02T03:04:05.000Z',
};

/** Every text in the database. */
async function everyText(): Promise<string> {
  const tables = ['secrets', 'onboardings', 'onboarding_events', 'api_key_claims'] as const;
  const rows = await Promise.all(tables.map((table) => opened.database.selectFrom(table).selectAll().execute()));
  return JSON.stringify(rows);
}

test('hands out the token of an onboarded tenant once, and keeps who received it', async () => {
  await ended('onboarded');
  expect(await claims.claim(request())).toEqual({ kind: 'claimed', claim, token: TOKEN, isReplay: false });
  nowMs += 1;
  expect(await claims.claim(request({ by: 'bob' }))).toEqual({ kind: 'alreadyClaimed', claim });
  expect(await secrets().get(apiKeyRef('acme'))).toBeUndefined();
  expect(await claims.find(['attempt-1', 'another'])).toEqual(new Map([['attempt-1', claim]]));
  expect((await opened.register.events({ after: 0, limit: 100 })).at(-1)).toMatchObject({
    type: 'api_key.claimed',
    tenantId: 'acme',
    data: { keyId: 'key_1', by: 'ada', apiTokenName: 'backend' },
  });
});

test('of twenty claims at once exactly one receives the token', async () => {
  await ended('onboarded');
  const outcomes = await Promise.all(
    Array.from({ length: 20 }, (_, n) => claims.claim(request({ by: `caller ${n}`, idempotencyKey: `key-${n}` }))),
  );
  const received = outcomes.filter(({ kind }) => kind === 'claimed');
  expect(received).toHaveLength(1);
  const [winner] = received;
  for (const outcome of outcomes.filter(({ kind }) => kind !== 'claimed')) {
    expect(outcome).toEqual({ kind: 'alreadyClaimed', claim: winner?.kind === 'claimed' ? winner.claim : undefined });
  }
});

describe('a repetition with the same Idempotency-Key', () => {
  test('receives the token again for 60 seconds, with any `by`', async () => {
    await ended('onboarded');
    await claims.claim(request({ idempotencyKey: 'lost' }));
    nowMs += 60_000;
    expect(await claims.claim(request({ idempotencyKey: 'lost', by: 'bob' }))).toEqual({
      kind: 'claimed',
      claim,
      token: TOKEN,
      isReplay: true,
    });
    expect(await claims.claim(request({ idempotencyKey: 'another' }))).toEqual({ kind: 'alreadyClaimed', claim });
  });

  test('finds the token sealed until then, and erased afterwards', async () => {
    await ended('onboarded');
    await claims.claim(request({ idempotencyKey: 'lost' }));
    const { sealed_token: sealed } = await opened.database
      .selectFrom('api_key_claims')
      .select('sealed_token')
      .executeTakeFirstOrThrow();
    expect(sealed).toMatch(/^v1\./);
    expect(await everyText()).not.toContain(TOKEN);
    nowMs += 60_001;
    await claims.eraseReplayable();
    expect(await everyText()).not.toContain(sealed);
    expect(await claims.claim(request({ idempotencyKey: 'lost' }))).toEqual({ kind: 'alreadyClaimed', claim });
  });
});

test.each(['failed', 'cancelled'] as const)('hands out the token that a %s onboarding kept', async (outcome) => {
  await ended(outcome);
  expect(await claims.claim(request())).toMatchObject({ kind: 'claimed', token: TOKEN });
});

test.each(['running', 'terminated'] as const)('keeps the token of a %s onboarding, which needs it', async (outcome) => {
  await ended(outcome);
  expect(await claims.claim(request())).toEqual({ kind: 'notClaimable', outcome });
  expect(await secrets().get(apiKeyRef('acme'))).toContain(TOKEN);
});

test('refuses a revoked token, and a tenant without an onboarding', async () => {
  await ended('failed');
  await secrets().delete(apiKeyRef('acme'));
  expect(await claims.claim(request())).toEqual({ kind: 'notClaimable', outcome: 'failed' });
  expect(await claims.claim(request({ tenantId: 'unknown' }))).toEqual({ kind: 'noOnboarding' });
});

test('hands out the token of a restarted onboarding anew', async () => {
  await ended('onboarded');
  await claims.claim(request());
  nowMs += 1_000;
  await ended('onboarded', 'attempt-2', 'key_2');
  expect(await claims.claim(request())).toMatchObject({ kind: 'claimed', claim: { keyId: 'key_2' } });
});
