import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { expectDescribed } from '../../../support/expect-described.ts';
import type { AccountResource } from '../../../../src/email-service/resources/account.ts';
import { countPaused } from '../../../../src/email-service/store/account-pauses.ts';
import type { Problem } from '../../../../src/lib/http/problem.ts';
import { dataSchemas } from '../../support/expect-described-events.ts';
import { email, OPERATOR_TOKEN, type SendingApi, type Sent, startSendingApi } from '../../support/test-api.ts';

let api: SendingApi;
beforeEach(async () => {
  api = await startSendingApi();
});
afterEach(() => api.end());

const NOW = '2026-03-01T12:00:00.000Z';
const change = (path: 'pause' | 'resume', reason: string, by = OPERATOR_TOKEN): Sent =>
  api.post(`/accounts/acme/${path}`, { reason }, { token: by });
const send = (key: string): Sent => api.send({}, key);
const onlyKey = async () => (await api.get('/api-keys')).json<{ data: [{ id: string }] }>().data[0].id;
/** So many emails at once that the next requests wait for their turns. */
async function busy(count: number): Promise<void> {
  await api.put('/accounts/acme/limits', { minute: 600 }, OPERATOR_TOKEN);
  const emails = Array.from({ length: count }, (_each, number) => email(api.senderId, { subject: String(number) }));
  expect((await api.post('/emails/batch', { emails }, { key: 'batch' })).statusCode).toBe(202);
}
const account = async () => (await api.get('/accounts/acme')).json<AccountResource>();
/** When a limit begins anew is of the real time. */
const withoutLimits = (answer: object) => ({ ...answer, limits: undefined });

describe('a paused account', () => {
  test('sends nothing until the operator resumes it, and repeats what it was answered before', async () => {
    const sent = await send('before');
    const pause = { at: NOW, by: 'default', reason: 'Its list was bought' };
    const paused = await change('pause', pause.reason);
    expect(paused.json<object>()).toMatchObject({ status: 'paused', pause });
    expect(withoutLimits(await account())).toEqual(withoutLimits(paused.json<object>()));
    const refused = await send('during');
    expect(refused.json<Problem>()).toMatchObject({
      ...{ status: 403, code: 'account_paused' },
      detail: `The operator must resume this account, paused at ${NOW}: Its list was bought.`,
    });
    expect((await send('before')).json()).toEqual(sent.json());
    expect((await api.get('/emails')).json()).toMatchObject({ data: [{ status: 'queued' }] });
    // It is the account's only pause: the second one changes nothing.
    const again = (await change('pause', 'Another reason')).json<object>();
    expect(withoutLimits(again)).toEqual(withoutLimits(paused.json<object>()));

    expect((await change('resume', 'The list is clean')).json()).toMatchObject({ status: 'active', pause: null });
    expect((await send('during')).statusCode).toBe(202);
    await change('resume', 'Once more');
  });

  test('is refused before its request is read, without a transaction', async () => {
    await change('pause', 'Spam');
    const refused = await api.inject({
      ...{ method: 'POST', url: '/emails', payload: '{ not even JSON' },
      headers: { authorization: `Bearer ${api.token}`, 'idempotency-key': 'one', 'content-type': 'application/json' },
    });
    expect(refused.json()).toMatchObject({ code: 'account_paused' });
    expect(await api.store.selectFrom('idempotency_keys').select('key').where('key', '=', 'one').execute()).toEqual([]);
    const keyless = await api.post('/emails', email(api.senderId));
    expect(keyless.json()).toMatchObject({ code: 'idempotency_key_required' });
  });

  test('is answered slowly if it goes on asking, while another account is not', async () => {
    await change('pause', 'Spam');
    const other = await api.openAccount('globex');
    const theirs = await api.sender(other, 'hello@globex.test');
    const begun = performance.now();
    const refused = Promise.all(Array.from({ length: 15 }, (_each, number) => send(String(number))));
    const sent = api.post('/emails', email(theirs), { token: other, key: 'one' }).then(() => performance.now() - begun);
    const statuses = (await refused).map(({ statusCode }) => statusCode);
    expect([new Set(statuses), statuses.length]).toEqual([new Set([403]), 15]);
    const refusedMs = performance.now() - begun;
    expect(refusedMs).toBeGreaterThan(950);
    expect(await sent).toBeLessThan(refusedMs);
  });

  test.each([
    ['its account was paused', 403, () => change('pause', 'Spam')],
    ['its key was revoked', 401, async () => api.delete(`/api-keys/${await onlyKey()}`)],
  ])('takes no email that had waited for its turn when %s', async (_when, status, meanwhile) => {
    await busy(20);
    const waits = send('waits');
    await meanwhile();
    expect((await waits).statusCode).toBe(status);
  });

  test('is asked to come again if too many of its requests wait, also to repeat what was accepted before', async () => {
    const sent = await send('before');
    await busy(100);
    const answers = await Promise.all(
      Array.from({ length: 130 }, (_each, number) => send(String(number))).concat(send('before')),
    );
    const repeated = answers.pop();
    const above = answers.filter(({ statusCode }) => statusCode !== 202);
    expect(above.length).toBeGreaterThan(5);
    expect(above.length).toBeLessThan(125);
    for (const { statusCode, headers } of above) expect([statusCode, headers['retry-after']]).toEqual([429, '5']);
    expect(above[0]?.json<Problem>()).toMatchObject({
      code: 'too_many_emails',
      detail: expect.stringMatching(/^This account sends faster than it may: /) as string,
    });
    expect(repeated?.statusCode).toBe(429);
    await expect.poll(async () => (await send('before')).json<unknown>()).toEqual(sent.json());
  }, 20_000);

  test('has events and log lines that say who paused and resumed it, and why', async () => {
    await change('pause', 'One');
    await change('resume', 'Two');
    const events = (await api.get('/events')).json<{ data: { type: string; data: object }[] }>().data;
    expect(events).toMatchObject([
      { type: 'account.paused', data: { status: 'paused', change: { by: 'default', reason: 'One' } } },
      { type: 'account.resumed', data: { status: 'active', pause: null, change: { by: 'default', reason: 'Two' } } },
    ]);
    expectDescribed(dataSchemas, events);
    const lines = api.logLines.map((line) => JSON.parse(line) as { msg: string; reason?: string });
    expect(lines.filter(({ msg }) => msg.startsWith('account '))).toMatchObject([
      { msg: 'account paused', reason: 'One', operatorTokenName: 'default' },
      { msg: 'account resumed', reason: 'Two', operatorTokenName: 'default' },
    ]);
  });

  test('is found by the operator in the list of all accounts', async () => {
    const other = await api.openAccount('globex');
    const list = async (query: string, by = OPERATOR_TOKEN) => {
      const answer = await api.get(`/accounts${query}`, by);
      return answer.json<{ data: { name: string; pause: object | null }[]; next_cursor: string | null }>();
    };
    await change('pause', 'Spam');
    const { id, name, status, pause, created_at } = await account();
    expect(await countPaused(api.store)).toEqual({ byBounceRate: 0, byOperator: 1 });
    const paused = await list('?status=paused');
    expect(paused).toEqual({ data: [{ id, name, status, pause, created_at }], next_cursor: null });
    expect((await list('?status=active')).data).toMatchObject([{ name: 'globex', pause: null }]);
    const first = await list('?limit=1');
    const second = await list(`?limit=1&cursor=${String(first.next_cursor)}`);
    expect([...first.data, ...second.data].map((each) => each.name)).toEqual(['acme', 'globex']);
    expect(second.next_cursor).toBeNull();
    expect(await list('', other)).toMatchObject({ status: 403, code: 'insufficient_scope' });
    expect(await list('?status=blocked')).toMatchObject({ status: 422 });
  });

  test('cannot be paused or resumed by its own keys, nor without a reason', async () => {
    for (const path of ['pause', 'resume'] as const) {
      expect((await change(path, 'Because', api.token)).statusCode).toBe(403);
      expect((await change(path, '')).statusCode).toBe(422);
    }
    const unknown = await api.post('/accounts/nobody/pause', { reason: 'Spam' }, { token: OPERATOR_TOKEN });
    expect(unknown.statusCode).toBe(404);
  });
});
