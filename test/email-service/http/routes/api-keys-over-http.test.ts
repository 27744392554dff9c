import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Problem } from '../../../../src/lib/http/problem.ts';
import type { ApiKeyResource } from '../../../../src/email-service/resources/api-key.ts';
import { type Scope, SCOPES } from '../../../../src/email-service/resources/scopes.ts';
import { type AccountApi, email, OPERATOR_TOKEN, startAccountApi, startTestApi } from '../../support/test-api.ts';

let api: AccountApi;
beforeEach(async () => {
  api = await startAccountApi();
});
afterEach(() => api.end());

const bearer = (by: string) => ({ authorization: `Bearer ${by}` });
const NOW = '2026-03-01T12:00:00.000Z';
type NewKey = ApiKeyResource & { readonly token: string };

async function newKey(body: object = {}, by = api.token): Promise<NewKey> {
  const answer = await api.post('/api-keys', body, { token: by });
  expect(answer.statusCode).toBe(201);
  return answer.json<NewKey>();
}
const isActive = async ({ token: secret }: NewKey): Promise<boolean> =>
  (await api.get('/api-keys', secret)).statusCode !== 401;
const listed = async (query = ''): Promise<ApiKeyResource[]> =>
  (await api.get(`/api-keys?account=acme${query}`, OPERATOR_TOKEN)).json<{ data: ApiKeyResource[] }>().data;

describe('POST /api-keys', () => {
  test('gets or creates the account by name for the operator, and limits a key to its own account', async () => {
    const { token: made, ...key } = await newKey({ account: 'globex', name: 'backend' }, OPERATOR_TOKEN);
    expect(made).toMatch(/^so_live_[0-9A-Za-z]{49}$/);
    expect(key).toEqual({
      id: expect.stringMatching(/^key_[0-9a-z]{26}$/) as string,
      name: 'backend',
      account_id: expect.stringMatching(/^acc_[0-9a-z]{26}$/) as string,
      last_four: made.slice(-4),
      scopes: ['send', 'read', 'manage'],
      parent_id: null,
      domain_id: null,
      created_at: NOW,
      expires_at: null,
      last_used_at: null,
      revoked_at: null,
    });
    const again = await newKey({ account: 'globex' }, OPERATOR_TOKEN);
    const own = await newKey({ account: 'globex' }, made);
    expect([again.account_id, own.account_id]).toEqual([key.account_id, key.account_id]);
    expect([again.parent_id, own.parent_id]).toEqual([null, key.id]);
  });

  const credential = { authorization: `Bearer ${OPERATOR_TOKEN}` };
  test.each([
    ['no body', { headers: credential }],
    ['an empty body of JSON', { headers: { ...credential, 'content-type': 'application/json' }, payload: '' }],
    [
      'an empty form, as curl sends',
      {
        headers: { ...credential, 'content-type': 'application/x-www-form-urlencoded', 'content-length': '0' },
      },
    ],
    ['an empty object', { headers: { ...credential, 'content-type': 'application/json' }, payload: '{}' }],
  ])('opens an account named after its id, for %s with the operator token', async (_title, request) => {
    const sent = () => api.inject({ method: 'POST', url: '/api-keys', ...request });
    const [first, second] = [(await sent()).json<NewKey>(), (await sent()).json<NewKey>()];
    expect(await isActive(first)).toBe(true);
    expect(second.account_id).not.toBe(first.account_id);
    const list = await api.get(`/api-keys?account=${first.account_id}`, OPERATOR_TOKEN);
    expect(list.json<{ data: unknown[] }>().data).toMatchObject([{ id: first.id }]);
  });

  test('needs no body with an API key, whose account and scopes the new key gets', async () => {
    const parent = await newKey({ account: 'acme', scopes: ['read', 'manage'] }, OPERATOR_TOKEN);
    const answer = await api.inject({
      method: 'POST',
      url: '/api-keys',
      headers: { authorization: `Bearer ${parent.token}` },
    });
    expect(answer.json()).toMatchObject({
      account_id: parent.account_id,
      scopes: ['read', 'manage'],
      parent_id: parent.id,
    });
  });

  test('refuses a key with scopes that the creating key lacks, and names them', async () => {
    const parent = await newKey({ account: 'acme', scopes: ['read', 'manage'] }, OPERATOR_TOKEN);
    for (const scopes of [['send'], ['send', 'read'], SCOPES]) {
      const refused = await api.post('/api-keys', { scopes }, { token: parent.token });
      expect(refused.json<Problem>()).toMatchObject({
        code: 'insufficient_scope',
        detail:
          'Creating a key with these scopes needs the scope send; this API key has only read and manage. Use a key with it.',
      });
    }
    expect((await newKey({ scopes: ['read'] }, parent.token)).scopes).toEqual(['read']);
  });

  test('replays the token of an Idempotency-Key to the same API key only', async () => {
    const [mine, other] = [await newKey(), await newKey()];
    const ask = async (by: NewKey) =>
      (await api.post('/api-keys', {}, { token: by.token, key: 'same' })).json<NewKey>();
    const made = await ask(mine);
    expect(await ask(mine)).toEqual(made);
    const others = await ask(other);
    expect([others.parent_id, others.token === made.token]).toEqual([other.id, false]);
  });
});

describe('DELETE /api-keys/{id}', () => {
  test('revokes the key immediately; a second DELETE answers 404', async () => {
    const made = await newKey();
    const deleted = await api.delete(`/api-keys/${made.id}`, made.token);
    expect([deleted.statusCode, deleted.body]).toEqual([204, '']);
    expect((await api.get('/events', made.token)).statusCode).toBe(401);
    expect((await api.delete(`/api-keys/${made.id}`)).statusCode).toBe(404);
  });

  test('revokes every descendant, and neither the parent nor its other keys', async () => {
    const leaked = await newKey();
    const children = [await newKey({}, leaked.token), await newKey({}, leaked.token)];
    const grandchild = await newKey({ scopes: ['send'] }, children[0]?.token ?? '');
    const sibling = await newKey();
    const unrelated = await newKey({ account: 'acme' }, OPERATOR_TOKEN);
    expect((await api.delete(`/api-keys/${leaked.id}`, OPERATOR_TOKEN)).statusCode).toBe(204);
    for (const key of [leaked, ...children, grandchild]) expect(await isActive(key)).toBe(false);
    for (const key of [sibling, unrelated]) expect(await isActive(key)).toBe(true);
    expect((await api.get('/api-keys')).statusCode).toBe(200);
    // Its repetition does not bring a child back.
    expect((await api.delete(`/api-keys/${grandchild.id}`, OPERATOR_TOKEN)).statusCode).toBe(404);
  });

  test('revokes the keys that the key is creating at that moment', async () => {
    for (let round = 0; round < 20; round += 1) {
      const leaked = await newKey();
      const create = async () => (await api.post('/api-keys', {}, { token: leaked.token })).json<NewKey | Problem>();
      const revoke = api.delete(`/api-keys/${leaked.id}`, OPERATOR_TOKEN);
      const made = await Promise.all([create(), create(), revoke.then(() => create()), create()]);
      expect((await revoke).statusCode).toBe(204);
      for (const key of made) expect('token' in key && (await isActive(key))).toBe(false);
    }
  });

  test('leaves the family in the list with include_revoked only', async () => {
    const leaked = await newKey();
    const child = await newKey({ scopes: ['read'] }, leaked.token);
    await api.delete(`/api-keys/${leaked.id}`, OPERATOR_TOKEN);
    expect((await listed()).map(({ id }) => id)).not.toContain(leaked.id);
    const all = await listed('&include_revoked=true');
    expect(all.slice(1)).toMatchObject([
      { id: leaked.id, revoked_at: NOW },
      { id: child.id, parent_id: leaked.id, scopes: ['read'], revoked_at: NOW },
    ]);
    expect(await listed('&include_revoked=false')).toEqual(await listed());
  });
});

describe('the scopes of a key', () => {
  interface Operation {
    readonly security: readonly Readonly<Record<string, readonly Scope[]>>[];
  }

  test('open exactly the calls that the OpenAPI document says', async () => {
    const { paths } = (await api.get('/openapi.json')).json<{
      paths: Record<string, Record<string, Operation>>;
    }>();
    const calls = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { security }]) => ({ path, method: method.toUpperCase(), security })),
    );
    const opened: Record<Scope, string[]> = { send: [], read: [], manage: [] };
    for (const scope of SCOPES) {
      const key = await newKey({ account: 'acme', scopes: [scope] }, OPERATOR_TOKEN);
      for (const { path, method, security } of calls) {
        const call = `${method} ${path}`;
        const needed = security.flatMap(({ apiKey = [] }) => apiKey);
        const isOperators = needed.length === 0 && security.length > 0;
        if (isOperators) {
          const refused = await api.inject({ method: method as 'PUT', url: path, headers: bearer(key.token) });
          expect([call, refused.json<Problem>().code]).toEqual([call, 'insufficient_scope']);
          continue;
        }
        expect([call, needed.length]).toEqual([call, ['/livez', '/readyz'].includes(path) ? 0 : 1]);
        const answer = await api.inject({
          method: method as 'GET',
          url: path.replace('{id}', 'none').replace('{account}', 'acme'),
          headers: bearer(key.token),
        });
        const isRefused = answer.json<Problem>().code === 'insufficient_scope';
        expect([call, scope, isRefused]).toEqual([call, scope, needed.length > 0 && !needed.includes(scope)]);
        if (isRefused) {
          const detail = `This call needs the scope ${String(needed[0])}; this API key has only ${scope}. Use a key with it.`;
          expect([answer.statusCode, answer.json<Problem>().detail]).toEqual([403, detail]);
        } else if (needed.length > 0) opened[scope].push(call);
      }
    }
    expect(opened.send.sort()).toEqual([
      'PATCH /emails/{id}',
      'POST /emails',
      'POST /emails/batch',
      'POST /emails/{id}/cancel',
    ]);
    expect(opened.read.sort()).toEqual(['GET /emails', 'GET /emails/{id}']);
    expect(opened.manage).toHaveLength(
      calls.filter(({ security }) => security.some(({ apiKey }) => apiKey)).length -
        opened.send.length -
        opened.read.length,
    );
  });

  test('let a key that sends and reads neither create nor revoke keys, and change nothing of its account', async () => {
    const key = await newKey({ account: 'acme', scopes: ['send', 'read'] }, OPERATOR_TOKEN);
    const senderId = await api.sender(api.token, 'hello@acme.test');
    const sent = await api.post('/emails', email(senderId), { token: key.token, key: 'one' });
    expect(sent.statusCode).toBe(202);
    expect((await api.get(`/emails/${sent.json<{ id: string }>().id}`, key.token)).statusCode).toBe(200);
    const refused = [
      await api.post('/api-keys', { scopes: ['send'] }, { token: key.token }),
      await api.delete(`/api-keys/${key.id}`, key.token),
      await api.delete(`/senders/${senderId}`, key.token),
      await api.post('/domains', { name: 'other.test' }, { token: key.token }),
    ];
    expect(refused.map(({ statusCode }) => statusCode)).toEqual([403, 403, 403, 403]);
    expect(await isActive(key)).toBe(true);
  });
});

describe('a key of one domain', () => {
  const sendWith = (by: string, senderId: string, key: string) =>
    api.post('/emails', email(senderId), { token: by, key });

  test('sends from the senders of its domain and reads its emails, and no others', async () => {
    const [mine, other] = [await api.sender(api.token, 'hi@acme.test'), await api.sender(api.token, 'hi@other.test')];
    const domains = (await api.get('/domains')).json<{ data: { id: string; name: string }[] }>().data;
    const domainId = domains.find(({ name }) => name === 'acme.test')?.id;
    const bound = await newKey({ domain_id: domainId });
    expect(bound).toMatchObject({ domain_id: domainId, scopes: ['send', 'read'] });

    const sent = await sendWith(bound.token, mine, 'one');
    const others = await sendWith(api.token, other, 'two');
    expect([sent.statusCode, others.statusCode]).toEqual([202, 202]);
    const refused = await sendWith(bound.token, other, 'three');
    expect(refused.json<Problem>()).toMatchObject({
      code: 'validation_failed',
      errors: [{ pointer: '/sender_id', code: 'sender_not_found' }],
    });
    const [sentId, othersId] = [sent, others].map((answer) => answer.json<{ id: string }>().id);
    const list = await api.get('/emails', bound.token);
    expect(list.json<{ data: { id: string }[] }>().data.map(({ id }) => id)).toEqual([sentId]);
    expect((await api.get('/emails?status=queued&domain=recipient.test', bound.token)).json()).toEqual(list.json());
    expect((await api.get(`/emails/${sentId ?? ''}`, bound.token)).statusCode).toBe(200);
    expect((await api.get(`/emails/${othersId ?? ''}`, bound.token)).statusCode).toBe(404);
    // Not even by the Idempotency-Key of another key.
    const waiting = await api.inject({
      method: 'POST',
      url: '/emails',
      headers: { authorization: `Bearer ${bound.token}`, 'idempotency-key': 'two', prefer: 'wait=1' },
      payload: email(other),
    });
    expect(waiting.json()).toEqual({ id: othersId, status: 'queued' });
  });

  test('may neither manage nor create keys, and its domain must be one of the account', async () => {
    const domainId = await api.verifiedDomain(api.token, 'acme.test');
    const bound = await newKey({ domain_id: domainId, account: 'acme' }, OPERATOR_TOKEN);
    expect((await api.post('/api-keys', {}, { token: bound.token })).statusCode).toBe(403);
    const faults: [object, string][] = [
      [{ domain_id: domainId, scopes: ['send', 'manage'] }, 'not_of_one_domain'],
      [{ domain_id: 'dom_none' }, 'domain_not_found'],
    ];
    for (const [body, code] of faults)
      expect((await api.post('/api-keys', body)).json()).toMatchObject({ errors: [{ code }] });
    const stranger = await api.openAccount('globex');
    const foreign = await api.post('/api-keys', { domain_id: domainId }, { token: stranger });
    expect(foreign.json()).toMatchObject({ errors: [{ code: 'domain_not_found' }] });
    const manager = await newKey({ scopes: ['manage'] });
    const neither = await api.post('/api-keys', { domain_id: domainId }, { token: manager.token });
    expect(neither.json()).toMatchObject({ errors: [{ code: 'not_of_one_domain' }] });
  });
});

describe('the expiry of a key', () => {
  const LATER = '2026-03-02T12:00:00.000Z';

  test('ends the key and those that it created, which never expire after it', async () => {
    const parent = await newKey({ expires_at: '2026-03-02T13:00:00+01:00' });
    expect(parent.expires_at).toBe(LATER);
    const inherited = await newKey({}, parent.token);
    const shorter = await newKey({ expires_at: '2026-03-02T00:00:00Z' }, parent.token);
    expect([inherited.expires_at, shorter.expires_at]).toEqual([LATER, '2026-03-02T00:00:00.000Z']);
    const longer = await api.post('/api-keys', { expires_at: '2026-03-02T12:00:00.001Z' }, { token: parent.token });
    expect(longer.json<Problem>()).toMatchObject({ code: 'insufficient_scope' });
    const past = await api.post('/api-keys', { expires_at: NOW });
    expect(past.json()).toMatchObject({ errors: [{ pointer: '/expires_at', code: 'in_the_past' }] });

    api.clock.time = new Date('2026-03-02T11:59:59.999Z');
    expect(await Promise.all([parent, inherited, shorter].map(isActive))).toEqual([true, true, false]);
    api.clock.time = new Date(LATER);
    expect(await Promise.all([parent, inherited].map(isActive))).toEqual([false, false]);
    expect((await api.get('/api-keys', parent.token)).json<Problem>()).toMatchObject({
      code: 'invalid_api_key',
      detail: `This API key expired at ${LATER}. Create a new one with POST /api-keys.`,
    });
  });
});

describe('the last use of a key', () => {
  const noted = async (): Promise<(string | null)[]> => (await listed()).map(({ last_used_at: at }) => at);

  test('is noted once an hour', async () => {
    expect(await noted()).toEqual([null]);
    expect((await api.get('/api-keys')).json<{ data: ApiKeyResource[] }>().data).toHaveLength(1);
    await vi.waitFor(async () => {
      expect(await noted()).toEqual([NOW]);
    });
    const executed = vi.spyOn(api.store.getExecutor(), 'executeQuery');
    const use = async (at: string) => {
      api.clock.time = new Date(at);
      await api.get('/api-keys');
    };
    await use('2026-03-01T12:59:59.999Z');
    expect(executed.mock.calls.filter(([{ sql }]) => sql.startsWith('update'))).toEqual([]);
    await use('2026-03-01T13:00:00.000Z');
    await vi.waitFor(async () => {
      expect(await noted()).toEqual(['2026-03-01T13:00:00.000Z']);
    });
  });
});

test('accepts each of several operator tokens, and logs the name of the token, never the token', async () => {
  const operatorTokens = ['old', 'new'].map((name) => ({ name, token: `${name}-operator-`.repeat(3) }));
  const rotating = await startTestApi({ operatorTokens });
  const open = (by: string) => rotating.post('/api-keys', { account: 'acme' }, { token: by });
  const keys: NewKey[] = [];
  for (const { token: by } of operatorTokens) keys.push((await open(by)).json<NewKey>());
  // The token is not a part of what it creates: the account is the same.
  expect(keys[1]?.account_id).toBe(keys[0]?.account_id);
  expect((await open('another-token-of-32-characters-0')).json<Problem>().code).toBe('invalid_api_key');
  expect((await rotating.get('/api-keys', keys[0]?.token)).statusCode).toBe(200);
  const lines = rotating.logLines.map((line) => JSON.parse(line) as { msg: string; operatorTokenName?: string });
  const completed = lines.filter(({ msg }) => msg === 'request completed');
  expect(completed.map(({ operatorTokenName }) => operatorTokenName)).toEqual(['old', 'new', undefined, undefined]);
  for (const { token: secret } of operatorTokens) expect(rotating.logLines.join('')).not.toContain(secret);
  await rotating.end();
});
