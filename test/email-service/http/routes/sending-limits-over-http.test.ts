import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AccountResource } from '../../../../src/email-service/resources/account.ts';
import {
  email,
  OPERATOR_TOKEN,
  type SendingApi,
  type Sent,
  startSendingApi,
  startTestApi,
  type TestApi,
} from '../../support/test-api.ts';

let api: SendingApi;
beforeEach(async () => {
  api = await startSendingApi({}, 'Acme & Söhne');
});
afterEach(() => api.end());

const PATH = `/accounts/${encodeURIComponent('Acme & Söhne')}`;
const put = (limits: object, by = OPERATOR_TOKEN): Sent => api.put(`${PATH}/limits`, limits, by);
const account = async (by = OPERATOR_TOKEN) => (await api.get(PATH, by)).json<AccountResource>();
const send = (key: string, by: TestApi = api, changes = {}): Sent =>
  by.post('/emails', email(api.senderId, changes), { token: api.token, key });
const sendAll = (count: number, name: string, by?: TestApi) =>
  Promise.all(Array.from({ length: count }, async (_each, n) => (await send(`${name}-${String(n)}`, by)).statusCode));
const accepted = (statuses: readonly number[]): number => statuses.filter((status) => status === 202).length;

describe('the limits of an account', () => {
  test('are those of the settings until the operator sets others, which the account can read', async () => {
    expect(await account()).toEqual({
      id: expect.stringMatching(/^acc_/) as string,
      name: 'Acme & Söhne',
      status: 'active',
      pause: null,
      bounces: { delivered: 0, bounced: 0 },
      limits: {
        minute: { limit: 100_000, used: 0, ends_in: 60 },
        hour: { limit: 100_000, used: 0, ends_in: 3_600 },
        day: { limit: 100_000, used: 0, ends_in: 86_400 },
      },
      created_at: '2026-03-01T12:00:00.000Z',
    });
    const set = await put({ minute: 5, day: 7 });
    expect(set.json()).toMatchObject({ limits: { minute: { limit: 5 }, hour: { limit: 100_000 }, day: { limit: 7 } } });
    expect(await account(api.token)).toEqual(set.json());
    expect((await put({ minute: null })).json()).toMatchObject({ limits: { minute: { limit: 100_000 } } });
  });

  test('are set by the operator alone, and shown to no other account', async () => {
    expect((await put({ minute: 5 }, api.token)).json()).toMatchObject({
      code: 'insufficient_scope',
      detail: 'This call needs the operator token; found an API key.',
    });
    expect((await api.get(PATH, await api.openAccount('globex'))).statusCode).toBe(403);
    expect((await api.get('/accounts/nobody', OPERATOR_TOKEN)).statusCode).toBe(404);
    for (const limits of [{ minute: 0 }, { hour: 1.5 }, { day: 2_000_000_000 }, { week: 5 }])
      expect((await put(limits)).statusCode).toBe(422);
  });
});

describe('POST /emails', () => {
  test('refuses what is above a limit, and says in RateLimit fields what is left', async () => {
    await put({ minute: 2, hour: 3 });
    const first = await send('one');
    const { 'ratelimit-policy': policy, ratelimit } = first.headers;
    expect(policy).toBe('"minute";q=2;w=60, "hour";q=3;w=3600, "day";q=100000;w=86400');
    expect(ratelimit).toBe('"minute";r=1;t=60, "hour";r=2;t=3600, "day";r=99999;t=86400');
    expect((await send('two')).statusCode).toBe(202);
    const refused = await send('three');
    expect([refused.statusCode, refused.headers['ratelimit-policy']]).toEqual([429, policy]);
    expect(refused.headers['ratelimit']).toMatch(/^"minute";r=0;t=\d+, "hour";r=1;t=\d+/);
    const seconds = Number(refused.headers['retry-after']);
    expect(seconds > 50 && seconds <= 60).toBe(true);
    expect(refused.json()).toMatchObject({
      code: 'too_many_emails',
      detail: `This account has sent as many emails as it may: 2 in a minute. Send the request again in ${String(seconds)} seconds.`,
    });

    await api.store.updateTable('sending_limits').set({ minute_started: 0 }).execute();
    expect((await send('three')).statusCode).toBe(202);
    expect((await send('four')).json()).toMatchObject({ detail: expect.stringContaining('3 in an hour') as string });
  });

  test('counts neither a repetition nor what it refuses, and counts an email that bounces at once', async () => {
    await put({ minute: 2 });
    await send('one');
    const repeated = await send('one');
    expect([repeated.statusCode, repeated.headers['ratelimit']]).toEqual([202, undefined]);
    expect((await send('bad', api, { recipient: 'nobody' })).statusCode).toBe(422);
    expect((await send('bad', api, { sender_id: 'snd_none' })).statusCode).toBe(422);
    expect((await account()).limits.minute.used).toBe(1);
    await api.put('/suppressions/ada@recipient.test', {});
    expect((await send('two')).statusCode).toBe(202);
    expect((await send('three')).statusCode).toBe(429);
    // What was accepted before stays repeatable.
    expect((await send('one')).statusCode).toBe(202);
  });

  test('accepts no email more than the limit from two processes at once, and no account uses that of another', async () => {
    await put({ minute: 40 });
    const second = await startTestApi(
      { sealer: api.sealer },
      Promise.resolve({ url: api.databaseUrl, end: async () => undefined }),
    );
    const statuses = await Promise.all([sendAll(60, 'here'), sendAll(60, 'there', second)]);
    expect(accepted(statuses.flat())).toBe(40);
    expect([...new Set(statuses.flat())].sort()).toEqual([202, 429]);
    expect((await account()).limits.minute.used).toBe(40);
    expect(await api.store.selectFrom('emails').select('id').execute()).toHaveLength(40);
    const other = await second.openAccount('globex');
    const theirs = email(await second.sender(other, 'hello@globex.test'));
    expect((await second.post('/emails', theirs, { token: other, key: 'one' })).statusCode).toBe(202);
    await second.end();
  });
});
