import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Problem } from '../../../../src/lib/http/problem.ts';
import { type AccountApi, deliver, email, OPERATOR_TOKEN, startAccountApi } from '../../support/test-api.ts';

let api: AccountApi;

beforeEach(async () => {
  api = await startAccountApi();
});
afterEach(() => api.end());

interface Page {
  readonly data: readonly Readonly<Record<string, unknown>>[];
  readonly next_cursor: string | null;
}

const LISTS = ['/api-keys', '/domains', '/senders', '/emails', '/webhooks'] as const;

const page = async (url: string, by = api.token): Promise<Page> => {
  const answer = await api.get(url, by);
  expect(answer.statusCode).toBe(200);
  return answer.json<Page>();
};
const ids = ({ data }: Page): unknown[] => data.map(({ id }) => id);
const created = async (path: string, body: object, by = api.token): Promise<string> => {
  const answer = await api.post(path, body, { token: by, key: randomUUID() });
  expect(answer.statusCode).toBeLessThan(300);
  return answer.json<{ id: string }>().id;
};
const webhook = (path: string): object => ({
  url: `https://receiver.example.com/${path}`,
  events: ['email.delivered'],
});

/** One resource of each kind, on a verified domain. */
async function fillAccount(by: string, domain: string): Promise<Record<(typeof LISTS)[number], string>> {
  const domainId = await api.verifiedDomain(by, domain);
  const senderId = await created('/senders', { from_address: `hello@${domain}` }, by);
  const emailId = await created('/emails', email(senderId), by);
  const webhookId = await created('/webhooks', webhook(domain), by);
  const { data } = await page('/api-keys', by);
  return {
    '/api-keys': String(data[0]?.['id']),
    '/domains': domainId,
    '/senders': senderId,
    '/emails': emailId,
    '/webhooks': webhookId,
  };
}

describe('every list', () => {
  test('shows resources as GET by id shows them, and none of another account', async () => {
    const mine = await fillAccount(api.token, 'acme.test');
    const other = await api.openAccount('globex');
    const theirs = await fillAccount(other, 'globex.test');
    for (const list of LISTS) {
      expect(await page(list)).toMatchObject({ data: [{ id: mine[list] }], next_cursor: null });
      expect(ids(await page(list, other))).toEqual([theirs[list]]);
    }
    for (const list of ['/domains', '/emails'] as const) {
      const one = await api.get(`${list}/${mine[list]}`);
      expect((await page(list)).data).toEqual([one.json()]);
    }
  });

  test('omits deleted and revoked resources', async () => {
    const mine = await fillAccount(api.token, 'acme.test');
    const account = { account: 'acme' };
    const second = (await api.post('/api-keys', account, { token: OPERATOR_TOKEN })).json<{
      id: string;
      token: string;
    }>();
    for (const list of ['/webhooks', '/senders', '/domains', '/api-keys'] as const)
      expect((await api.delete(`${list}/${mine[list]}`, second.token)).statusCode).toBe(204);
    for (const list of ['/webhooks', '/senders', '/domains'] as const)
      expect(await page(list, second.token)).toEqual({ data: [], next_cursor: null });
    expect(ids(await page('/api-keys', second.token))).toEqual([second.id]);
  });

  test('never shows a token, a signing secret or a private key', async () => {
    const { token: newToken } = (await api.post('/api-keys', {})).json<{ token: string }>();
    await api.verifiedDomain(api.token, 'acme.test');
    const { signing_secret: secret } = (await api.post('/webhooks', webhook('a'))).json<{
      signing_secret: string;
    }>();
    const text = JSON.stringify(await Promise.all(LISTS.map((list) => page(list))));
    for (const hidden of [api.token, newToken, secret, 'PRIVATE KEY', 'sha256', 'sealed', 'signing_secret'])
      expect(text).not.toContain(hidden);
    const { sealed_dkim_private_key: sealed } = await api.store
      .selectFrom('domains')
      .select('sealed_dkim_private_key')
      .executeTakeFirstOrThrow();
    expect(text).not.toContain(sealed);
  });

  test('is paginated, oldest first, without gaps or repeats when entries are created or deleted meanwhile', async () => {
    const made: string[] = [];
    for (const name of ['a', 'b', 'c', 'd', 'e']) made.push(await created('/webhooks', webhook(name)));
    const first = await page('/webhooks?limit=2');
    expect([ids(first), first.next_cursor]).toEqual([made.slice(0, 2), made[1]]);

    // The entry of the cursor is deleted, and a new entry is created.
    await api.delete(`/webhooks/${made[1] ?? ''}`);
    made.push(await created('/webhooks', webhook('f')));
    const second = await page(`/webhooks?limit=2&cursor=${first.next_cursor ?? ''}`);
    expect(ids(second)).toEqual(made.slice(2, 4));
    const last = await page(`/webhooks?limit=2&cursor=${second.next_cursor ?? ''}`);
    expect([ids(last), last.next_cursor]).toEqual([made.slice(4), null]);
  });

  test.each([...LISTS, '/suppressions', '/erasures', '/accounts'])(
    '%s refuses a cursor of another list, a limit out of bounds and an unknown parameter',
    async (list) => {
      const token = list === '/accounts' ? OPERATOR_TOKEN : api.token;
      const foreign = list === '/domains' ? 'snd_01h45ytscbebyvny4gc8cr8ma2' : 'dom_01h45ytscbebyvny4gc8cr8ma2';
      for (const [query, pointer, code, detail] of [
        [`cursor=${foreign}`, '/cursor', 'malformed', 'must be a next_cursor of this list'],
        ['cursor=%00', '/cursor', 'malformed', 'must be a next_cursor of this list'],
        ['cursor=', '/cursor', 'malformed', 'must be a next_cursor of this list'],
        ['limit=0', '/limit', 'too_small', '>= 1'],
        ['limit=101', '/limit', 'too_large', '<= 100'],
        ['limit=ten', '/limit', 'wrong_type', 'integer'],
        ['limit=1&limit=2', '/limit', 'wrong_type', 'integer'],
        ['after=x', '/after', 'unknown_field', 'is not a field of this call'],
      ] as const) {
        const answer = await api.get(`${list}?${query}`, token);
        expect([query, answer.statusCode]).toEqual([query, 422]);
        expect(answer.json<Problem>().errors).toMatchObject([
          { pointer, code, detail: expect.stringContaining(detail) as string },
        ]);
      }
    },
  );

  test.each(LISTS)('%s requires a credential', async (list) => {
    expect((await api.inject({ url: list })).statusCode).toBe(401);
  });
});

describe('GET /emails finds', () => {
  const times = ['2026-03-01T12:00:00.000Z', '2026-03-02T12:00:00.000Z', '2026-03-03T12:00:00.000Z'] as const;
  let sent: string[];
  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const senderId = await api.sender(api.token, 'hello@acme.test');
    sent = [];
    for (const [index, recipient] of ['Ada@One.test', 'bob@one.test', 'ada@two.test'].entries()) {
      api.clock.time = new Date(times[index] ?? '');
      vi.setSystemTime(api.clock.time);
      const tags = [['welcome', 'a'], ['welcome'], ['Welcome']][index];
      sent.push(await created('/emails', email(senderId, { recipient, tags })));
    }
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const found = async (query: string) => ids(await page(`/emails?${query}`)).map((id) => sent.indexOf(String(id)));

  test.each([
    ['recipient=ada%40one.test', [0]],
    ['recipient=ADA%40ONE.TEST', [0]],
    ['recipient=ada', []],
    ['domain=one.test', [0, 1]],
    ['domain=One.Test&limit=1', [0]],
    ['domain=two.test&status=queued', [2]],
    ['domain=two.test&status=delivered', []],
    [`from=${times[1]}`, [1, 2]],
    [`to=${times[1]}`, [0]],
    [`from=${times[0]}&to=${times[2]}&domain=one.test`, [0, 1]],
    [`from=${times[2]}&to=${times[0]}`, []],
    ['from=0000-01-01T00:00:00Z&to=9999-12-31T23:59:59Z', [0, 1, 2]],
    ['from=2026-03-02T13:00:00%2B01:00', [1, 2]],
    ['tag=welcome', [0, 1]],
    ['tag=welcome&limit=1', [0]],
    ['tag=Welcome', [2]],
    ['tag=welc', []],
    ['tag=welcome&status=queued', [0, 1]],
    ['tag=welcome&status=delivered', []],
    ['tag=welcome&recipient=bob%40one.test', [1]],
    ['tag=a&domain=two.test', []],
    [`tag=welcome&from=${times[1]}`, [1]],
    [`tag=welcome&to=${times[1]}`, [0]],
  ])('%s', async (query, expected) => {
    expect(await found(query)).toEqual(expected);
  });

  test('the emails with a tag a page at a time, none of another account', async () => {
    const other = await api.openAccount('other');
    const [first] = sent;
    expect((await api.get('/emails?tag=welcome', other)).json()).toEqual({ data: [], next_cursor: null });
    expect(await found(`tag=welcome&cursor=${String(first)}`)).toEqual([1]);
  });

  test.each(['from=yesterday', 'to=2026-12-31T23:59:60Z', 'from=2026-02-30T00:00:00Z'])('refuses %s', async (query) => {
    const answer = await api.get(`/emails?${query}`);
    expect(answer.statusCode).toBe(422);
    expect(answer.json<Problem>().errors).toMatchObject([{ pointer: `/${query.split('=')[0] ?? ''}` }]);
  });
});

describe('a list with the operator token', () => {
  test('shows the resources of an account whose last key is revoked', async () => {
    const mine = await fillAccount(api.token, 'acme.test');
    await api.delete(`/api-keys/${mine['/api-keys']}`, OPERATOR_TOKEN);
    expect((await api.get('/domains')).statusCode).toBe(401);
    for (const list of LISTS) {
      const expected = list === '/api-keys' ? [] : [mine[list]];
      expect(ids(await page(`${list}?account=acme`, OPERATOR_TOKEN))).toEqual(expected);
    }
  });

  test.each(LISTS)('%s requires the name of an account, and answers 404 for an unknown one', async (list) => {
    const unnamed = await api.get(list, OPERATOR_TOKEN);
    expect(unnamed.statusCode).toBe(422);
    expect(unnamed.json<Problem>().errors).toMatchObject([{ pointer: '/account', code: 'required' }]);
    const unknown = await api.get(`${list}?account=nobody`, OPERATOR_TOKEN);
    expect([unknown.statusCode, unknown.json<Problem>().code]).toEqual([404, 'not_found']);
    expect(await api.store.selectFrom('accounts').select('name').execute()).toEqual([{ name: 'acme' }]);
  });

  test.each(LISTS)('%s lets an API key name only its own account, whether another one exists or not', async (list) => {
    await api.openAccount('globex');
    expect((await api.get(`${list}?account=acme`)).statusCode).toBe(200);
    const refused = await Promise.all(['globex', 'nobody'].map((name) => api.get(`${list}?account=${name}`)));
    expect(refused.map((answer) => answer.statusCode)).toEqual([403, 403]);
    const [theirs, nobodys] = refused.map((answer) => answer.json<Problem>());
    expect({ ...theirs, request_id: '' }).toEqual({ ...nobodys, request_id: '' });
  });
});

describe('a filter', () => {
  test('finds a domain by name, ignoring case, and nothing if another account has it', async () => {
    const id = await created('/domains', { name: 'acme.test' });
    await created('/domains', { name: 'mail.acme.test' });
    expect(ids(await page('/domains?name=ACME.test'))).toEqual([id]);
    expect(ids(await page('/domains?name=acme.test', await api.openAccount('globex')))).toEqual([]);
    expect(ids(await page('/domains?name=unknown.test'))).toEqual([]);
  });

  test('shows the emails of one status, in pages, with their attempts', async () => {
    const senderId = await api.sender(api.token, 'hello@acme.test');
    const made: string[] = [];
    for (const subject of ['one', 'two', 'three']) made.push(await created('/emails', email(senderId, { subject })));
    await deliver(api, made[1] ?? '');
    const first = await page('/emails?status=queued&limit=1');
    expect(ids(first)).toEqual([made[0]]);
    expect(ids(await page(`/emails?status=queued&cursor=${first.next_cursor ?? ''}`))).toEqual([made[2]]);
    expect((await page('/emails?status=delivered')).data).toMatchObject([
      { id: made[1], attempts: [{ number: 1, outcome: 'delivered' }] },
    ]);
    const unknown = await api.get('/emails?status=lost');
    expect(unknown.json<Problem>().errors).toMatchObject([{ pointer: '/status', code: 'unknown_value' }]);
  });
});
