import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiKeyRef } from '../../src/onboarding/onboarding-ids.ts';
import type { OnboardingRecord } from '../../src/onboarding/onboarding-record.ts';
import { putIssued } from '../../src/store/issued-secret.ts';
import { createSqlSecretStore } from '../../src/store/secret-store.ts';
import { beginOnboarding, endOnboarding } from '../support/begin-onboarding.ts';
import { recordWaiting, type RegisterApi, startRegisterApi } from '../support/register-api.ts';
import { bounce } from '../support/scripted-provider.ts';
import { eventData } from '../../src/http/schemas/events.ts';
import { expectDescribed } from '../support/expect-described.ts';

let api: RegisterApi;
beforeAll(async () => {
  api = await startRegisterApi();
});
afterAll(() => api.end());

const tokenOf = (tenantId: string): string => `so_live_the-token-of-${tenantId}`;
const keyOf = (tenantId: string): string => `key_${tenantId}`;

/** Records the end of an onboarding that issued a key. @param isKept whether its undo kept the key */
async function end(
  tenantId: string,
  ending: Pick<Partial<OnboardingRecord>, 'outcome' | 'failure'>,
  isKept = true,
): Promise<void> {
  const undone = { step: 'issueApiKey', resourceId: keyOf(tenantId), result: 'undone', reason: 'cancelled' } as const;
  await beginOnboarding(api.register, tenantId);
  const onboarding = { keyId: keyOf(tenantId), undo: isKept ? [] : [undone] };
  await endOnboarding(api.register, tenantId, { outcome: 'onboarded', onboarding, ...ending });
  if (isKept) await storeToken(tenantId);
}

const storeToken = (tenantId: string): Promise<unknown> =>
  putIssued(createSqlSecretStore(api.database, api.sealer), apiKeyRef(tenantId), {
    id: keyOf(tenantId),
    secret: tokenOf(tenantId),
  });

const claim = (tenantId: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${api.url}/onboardings/${tenantId}/api-key/claim`, {
    method: 'POST',
    headers: { authorization: `Bearer ${api.token}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

interface Problem {
  readonly code: string;
  readonly detail: string;
}

describe('POST /onboardings/{tenantId}/api-key/claim', () => {
  test('answers the token once, not to be stored by caches; then 409 says when and by whom it was claimed', async () => {
    await end('acme', {});
    const first = await claim('acme', { by: 'ada' });
    expect(first.status).toBe(200);
    expect(first.headers.get('cache-control')).toBe('no-store');
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    const { claimedAt, ...claimed } = (await first.json()) as { claimedAt: string };
    expect(claimed).toEqual({ tenantId: 'acme', keyId: keyOf('acme'), token: tokenOf('acme'), claimedBy: 'ada' });

    const events = await api.register.events({ after: 0, limit: 100 });
    expectDescribed(eventData, [events.find(({ type }) => type === 'api_key.claimed')!]);

    const second = await claim('acme', { by: 'bob' });
    expect(second.status).toBe(409);
    expect(await second.json()).toMatchObject({
      code: 'api_key_claimed',
      detail: `The API token of acme was claimed at ${claimedAt} by ada.`,
      claimed_at: claimedAt,
      claimed_by: 'ada',
    });
    const view = await fetch(`${api.url}/onboardings/acme`, { headers: { authorization: `Bearer ${api.token}` } });
    expect(await view.json()).toMatchObject({
      apiKey: { keyId: keyOf('acme'), state: 'claimed', claimedAt, claimedBy: 'ada' },
    });
  });

  test('repeats the answer to the same Idempotency-Key, bare or quoted, and says so', async () => {
    await end('globex', {});
    const first = await claim('globex', { by: 'ada' }, { 'idempotency-key': 'lost-answer' });
    const again = await claim('globex', { by: 'ada' }, { 'idempotency-key': '"lost-answer"' });
    expect(again.status).toBe(200);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.headers.get('cache-control')).toBe('no-store');
    expect(await again.json()).toEqual(await first.json());
    expect((await claim('globex', { by: 'ada' }, { 'idempotency-key': 'another' })).status).toBe(409);
  });

  test('answers the token that a failed first email (F3) kept', async () => {
    const details = { emailId: 'eml_1', bounce, stage: 'sendingFirstEmail', exit: 'F3', undo: [] };
    await end('bounced', {
      outcome: 'failed',
      failure: { type: 'EmailBounced', message: 'It bounced', details } as unknown as OnboardingRecord['failure'],
    });
    expect(await (await claim('bounced', { by: 'ada' })).json()).toMatchObject({ token: tokenOf('bounced') });
  });

  test('answers 409 while the onboarding runs, and keeps its token', async () => {
    await recordWaiting(api, 'running');
    await storeToken('running');
    const answer = await claim('running', { by: 'ada' });
    expect(answer.status).toBe(409);
    expect(await answer.json()).toMatchObject({
      code: 'api_key_not_claimable',
      detail: 'The onboarding of running has not ended.',
    });
    expect(await createSqlSecretStore(api.database, api.sealer).get(apiKeyRef('running'))).toContain(
      tokenOf('running'),
    );
  });

  test('answers 409 after a cancel, whose undo revoked the key', async () => {
    await end('cancelled', { outcome: 'cancelled' }, false);
    const answer = await claim('cancelled', { by: 'ada' });
    expect(answer.status).toBe(409);
    expect(await answer.json()).toMatchObject({
      code: 'api_key_not_claimable',
      detail: 'The onboarding of cancelled is cancelled, and sendoff holds no token of its key.',
    });
  });

  test('answers 404 for a tenant without an onboarding, which it finds out without Temporal', async () => {
    const answer = await claim('unknown', { by: 'ada' });
    expect(answer.status).toBe(404);
    expect(((await answer.json()) as Problem).code).toBe('not_found');
  });

  test.each([
    ['nothing', {}, '/by', 'required'],
    ['an empty text', { by: '' }, '/by', 'too_short'],
    ['a text of 201 characters', { by: 'a'.repeat(201) }, '/by', 'too_long'],
    ['a number', { by: 7 }, '/by', 'wrong_type'],
    ['another field', { by: 'ada', token: 'mine' }, '/token', 'unknown_field'],
  ])('refuses %s as by, and hands out nothing', async (_name, body, pointer, code) => {
    await end('strict', {});
    const answer = await claim('strict', body);
    expect(answer.status).toBe(422);
    expect(await answer.json()).toMatchObject({ code: 'validation_failed', errors: [{ pointer, code }] });
    expect(await api.claims.find(['attempt-of-strict'])).toEqual(new Map());
  });

  test.each(['', 'two words', 'a'.repeat(256), '"open'])('refuses the Idempotency-Key %j', async (key) => {
    await end('strict', {});
    const answer = await claim('strict', { by: 'ada' }, { 'idempotency-key': key });
    expect(answer.status).toBe(400);
    expect(((await answer.json()) as Problem).code).toBe('idempotency_key_malformed');
    expect(await api.claims.find(['attempt-of-strict'])).toEqual(new Map());
  });

  test('accepts a `by` of 200 characters', async () => {
    await end('longest', {});
    expect((await claim('longest', { by: 'a'.repeat(200) })).status).toBe(200);
  });
});
