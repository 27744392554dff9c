import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSendoffClient, type SendoffClient, type SendoffEvent } from '../../src/api-client/sendoff-client.ts';
import { recordWaiting, type RegisterApi, startRegisterApi } from '../support/register-api.ts';

let api: RegisterApi;
let client: SendoffClient;
beforeAll(async () => {
  api = await startRegisterApi();
  client = createSendoffClient({ baseUrl: api.url, token: api.token });
  await recordWaiting(api, 'acme');
});
afterAll(() => api.end());

const acme = { params: { path: { tenantId: 'acme' } } };

test('reads an onboarding and a page of them', async () => {
  const { data: view } = await client.GET('/onboardings/{tenantId}', acme);
  expect(view).toMatchObject({ tenantId: 'acme', stage: 'awaitingDomain', temporal: { reachable: false } });
  const query = { stage: 'awaitingDomain', needs_attention: false, limit: 1 } as const;
  const { data: page } = await client.GET('/onboardings', { params: { query } });
  expect(page).toMatchObject({ data: [{ tenantId: 'acme' }], next_cursor: null });
});

test('answers an unknown tenant in seconds while Temporal is stopped', async () => {
  const startedAt = performance.now();
  const headers = { authorization: `Bearer ${api.token}` };
  const answer = await fetch(`${api.url}/onboardings/unknown`, { headers });
  // Without the limit of a second the SDK would wait for ten and more.
  expect(performance.now() - startedAt).toBeLessThan(8_000);
  expect(answer.status).toBe(503);
  expect(answer.headers.get('retry-after')).toBe('5');
  expect(await answer.json()).toMatchObject({
    code: 'unavailable',
    detail:
      'No onboarding of tenant "unknown" is recorded, and Temporal, which may have one, cannot be reached. Try again.',
  });
});

test('throws the problems of the API, with the fields and the request ID', async () => {
  const query = { waiting_longer_than: 'a while' };
  await expect(client.GET('/onboardings', { params: { query } })).rejects.toMatchObject({
    code: 'validation_failed',
    errors: [{ pointer: '/waiting_longer_than' }],
    requestId: expect.stringMatching(/.+/) as string,
  });
  const stranger = createSendoffClient({ baseUrl: api.url, token: 'wrong' });
  await expect(stranger.GET('/onboardings')).rejects.toMatchObject({ code: 'invalid_api_key', status: 401 });
  await expect(stranger.events().next()).rejects.toMatchObject({ code: 'invalid_api_key', status: 401 });
});

test('yields the kept events after an id, then those that happen', async () => {
  const seen: SendoffEvent[] = [];
  for await (const event of client.events({ tenantId: 'acme', lastEventId: '0' })) {
    seen.push(event);
    if (event.type === 'onboarding.records_checked') {
      await recordWaiting(api, 'other');
      await api.register.addEvent('acme', { type: 'onboarding.extended', data: {} }, new Date().toISOString());
    }
    if (event.type === 'onboarding.extended') break;
  }
  expect(seen.map(({ type }) => type)).toEqual([
    'onboarding.started',
    'onboarding.domain_registered',
    'onboarding.records_checked',
    'onboarding.extended',
  ]);
  expect(seen.at(-1)).toMatchObject({ data: { tenantId: 'acme', type: 'onboarding.extended' } });
  const ids = seen.map(({ id }) => Number(id));
  expect(ids).toEqual([...ids].sort((a, b) => a - b));
});
