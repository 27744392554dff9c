import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PreviousCheck } from '../../src/agents-md/check-result.ts';
import { createSealer } from '../../src/lib/sealing.ts';
import { apiKeyRef } from '../../src/onboarding/onboarding-ids.ts';
import { newOnboarding } from '../../src/onboarding/onboarding.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { putIssued } from '../../src/store/issued-secret.ts';
import type { Register } from '../../src/store/onboarding/register.ts';
import { createSqlApiKeyClaims } from '../../src/store/onboarding/sql-api-key-claims.ts';
import { createSqlCheckStore } from '../../src/store/agents-md/check-store.ts';
import { createSqlRegister } from '../../src/store/onboarding/sql-register.ts';
import { createSqlSecretStore } from '../../src/store/secret-store.ts';
import { validInput } from '../support/onboarding-environment.ts';
import { testDatabase, type TestDatabase } from '../support/test-database.ts';
import { four, inRounds, ROUNDS } from './rounds.ts';

const sealer = createSealer([randomBytes(32)]);
const at = '2026-01-02T03:04:05.000Z';

let prepared: TestDatabase;
let database: Database;
let register: Register;
beforeAll(async () => {
  prepared = await testDatabase('orchestrator');
  database = await openDatabase(prepared.url, { connections: 8 });
  register = createSqlRegister(database, { notify: true });
});
afterAll(async () => {
  await database.destroy();
  await prepared.end();
});

const start = (tenantId: string) => ({
  ...{ tenantId, attemptId: `${tenantId}/1`, runId: `${tenantId}/1`, at, startedAt: at, startedWith: null },
  onboarding: { ...newOnboarding(validInput()), keyId: 'key_1' },
});
const typesOf = async (tenantId: string) =>
  (await register.events({ after: 0, tenantId, limit: 100 })).map(({ type }) => type);

test('a new tenant that is announced and begun at once is recorded once', async () => {
  await inRounds(async (round) => {
    const begun = start(`new-${String(round)}`);
    await four(async (contender) => {
      if (contender % 2 === 0) await register.announce(begun);
      else expect(await register.begin(begun)).toEqual({ kind: 'current' });
    });
    expect(await typesOf(begun.tenantId)).toEqual(['onboarding.started']);
  });
});

test('of several claims of an API key one gets the token', async () => {
  const claims = createSqlApiKeyClaims(database, sealer);
  const secrets = createSqlSecretStore(database, sealer);
  await inRounds(async (round) => {
    const begun = start(`claimed-${String(round)}`);
    const { tenantId } = begun;
    await register.end({ ...begun, outcome: 'cancelled', result: null, failure: null });
    await putIssued(secrets, apiKeyRef(tenantId), { id: 'key_1', secret: 'token' });
    const request = { tenantId, by: 'ada', apiTokenName: 'backend', idempotencyKey: undefined };
    const kinds = (await four(() => claims.claim(request))).map(({ kind }) => kind).sort();
    expect(kinds).toEqual(['alreadyClaimed', 'alreadyClaimed', 'alreadyClaimed', 'claimed']);
  });
});

test('of several checks of a producer one replaces the check that they began with', async () => {
  const checks = createSqlCheckStore(database);
  await inRounds(async (round) => {
    const check = { result: { subject: { producerId: `p-${String(round)}` } } } as unknown as PreviousCheck;
    for (const basedOn of [null, 'first']) {
      const version = (contender: number) => (basedOn === null && contender === 0 ? 'first' : `${String(contender)}b`);
      const replaced = await four((contender) => checks.replace({ check, version: version(contender) }, basedOn));
      expect(replaced.filter((kept) => kept === null)).toHaveLength(1);
      if (basedOn === null) {
        await database
          .updateTable('agents_md_checks')
          .set({ version: 'first' })
          .where('producer_id', '=', `p-${String(round)}`)
          .execute();
      }
    }
  });
});

test('events of many tenants commit in the order of their ids', async () => {
  const tenants = Array.from({ length: 8 }, (_, index) => `ordered-${String(index)}`);
  for (const tenantId of tenants) await register.announce(start(tenantId));
  let after = (await register.eventRange()).latest;
  const before = after;
  const seen: number[] = [];
  const read = async (): Promise<void> => {
    for (const { id } of await register.events({ after, limit: 1_000 })) {
      seen.push(id);
      after = id;
    }
  };
  const over = new AbortController();
  const reading = (async () => {
    while (!over.signal.aborted) await read();
  })();
  await inRounds(async (round) => {
    const event = { type: 'onboarding.requested', data: { round } } as never;
    await four((contender) => register.addEvent(tenants[(round + contender) % 8] ?? '', event, at));
  });
  over.abort();
  await reading;
  await read();
  const all = await database
    .selectFrom('onboarding_events')
    .select('id')
    .where('id', '>', before)
    .orderBy('id')
    .execute();
  expect(seen).toEqual(all.map(({ id }) => id));
  expect(seen).toHaveLength(4 * ROUNDS);
});
