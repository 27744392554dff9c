import type { InjectOptions, LightMyRequestResponse } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newApiKeyToken } from '../../../src/email-service/auth/api-key-token.ts';
import type { Problem } from '../../../src/lib/http/problem.ts';
import { email, idOf, OPERATOR_TOKEN, type SendingApi, startSendingApi } from '../support/test-api.ts';

let api: SendingApi;
let revokedToken: string;
/** Ids that another account has, by the route they belong to. */
const foreign: Record<string, string> = {};
let ownEmail: string;

beforeAll(async () => {
  api = await startSendingApi();
  await api.post('/domains', { name: 'pending.test' });

  const made = (await api.post('/api-keys', {})).json<{ id: string; token: string }>();
  revokedToken = made.token;
  await api.delete(`/api-keys/${made.id}`);

  const other = await api.openAccount('globex');
  foreign['sender'] = await api.sender(other, 'hello@globex.test');
  foreign['domain'] = await idOf(api.post('/domains', { name: 'other.test' }, { token: other }));
  foreign['email'] = await idOf(api.post('/emails', email(foreign['sender']), { token: other, key: 'k' }));
  const webhook = { url: 'https://globex.example.com/', events: ['email.delivered'] };
  foreign['webhook'] = await idOf(api.post('/webhooks', webhook, { token: other }));
  foreign['key'] = await idOf(api.post('/api-keys', {}, { token: other }));
  ownEmail = await idOf(api.send({}, 'own'));
});
afterAll(() => api.end());

interface BadRequest {
  readonly title: string;
  readonly request: () => InjectOptions;
  readonly status: number;
  readonly code: string;
  /** Of the first of `errors`. */
  readonly pointer?: string;
  readonly fieldCode?: string;
}

const json = { 'content-type': 'application/json' };
const raw = (url: string, payload: string | Buffer, headers: Record<string, string> = json): InjectOptions => ({
  method: 'POST',
  url,
  headers: { authorization: `Bearer ${api.token}`, ...headers },
  payload,
});
const get = (url: string, authorization = `Bearer ${api.token}`): InjectOptions => ({
  ...{ method: 'GET', url, headers: { authorization } },
});
const byOperator = (request: InjectOptions): InjectOptions => ({
  ...request,
  headers: { ...request.headers, authorization: `Bearer ${OPERATOR_TOKEN}` },
});
const post = (url: string, body: unknown): InjectOptions => raw(url, JSON.stringify(body));
const send = (changes: object, key = 'bad-request'): InjectOptions =>
  raw('/emails', JSON.stringify(email(api.senderId, changes)), { ...json, 'idempotency-key': key });
const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
/** As many fields as fit into a body, below where the schema looks. */
const wide = (): string =>
  `{"headers":{"deep":{${Array.from({ length: 500_000 }, (_, at) => `"f${String(at)}":0`).join(',')}}}}`;

const field = (title: string, request: () => InjectOptions, pointer: string, fieldCode: string): BadRequest => ({
  title,
  request,
  status: 422,
  code: 'validation_failed',
  pointer,
  fieldCode,
});

const refused = (
  status: number,
  code: string,
  requests: readonly (readonly [title: string, request: () => InjectOptions])[],
): readonly BadRequest[] => requests.map(([title, request]) => ({ title, request, status, code }));

const unreadable = [
  ...refused(400, 'malformed_json', [
    ['text that is not JSON', () => raw('/domains', '{"name":')],
    ['an empty body', () => raw('/domains', '')],
    ['arrays nested 20,000 levels deep', () => raw('/domains', `{"name":${nested(20_000)}}`)],
    [
      'half a million fields below those that the schema reads',
      () => raw('/emails', wide(), { ...json, 'idempotency-key': 'wide' }),
    ],
    ['bytes that are not UTF-8', () => raw('/domains', Buffer.from('{"name":"\xff.test"}', 'latin1'))],
    ['a __proto__ key', () => raw('/domains', '{"name":"a.test","__proto__":{"admin":true}}')],
    [
      'a __proto__ key inside metadata',
      () => raw('/emails', '{"metadata":{"__proto__":{"x":"y"}}}', { ...json, 'idempotency-key': 'k' }),
    ],
    ['a constructor.prototype key', () => raw('/domains', '{"name":"a.test","constructor":{"prototype":{}}}')],
  ]),
  ...refused(415, 'unsupported_media_type', [
    ['a form', () => raw('/domains', 'name=a.test', { 'content-type': 'application/x-www-form-urlencoded' })],
    ['plain text', () => raw('/domains', '{"name":"a.test"}', { 'content-type': 'text/plain' })],
    ['a body without Content-Type', () => raw('/domains', Buffer.from('{"name":"a.test"}'), {})],
    ...['gzip', 'identity, br'].map((encoding): [string, () => InjectOptions] => [
      `a body with Content-Encoding: ${encoding}`,
      () => raw('/domains', '{"name":"encoded.test"}', { ...json, 'content-encoding': encoding }),
    ]),
  ]),
  ...refused(413, 'payload_too_large', [
    ['a domain of a megabyte', () => post('/domains', { name: 'a'.repeat(1_000_000) })],
    ['an email of 27 megabytes', () => send({ body: 'a'.repeat(27_000_000) })],
  ]),
  ...refused(400, 'malformed_request', [['a broken escape in the URL', () => get('/domains/%ff')]]),
  ...refused(404, 'not_found', [
    ['an unknown call', () => get('/nothing')],
    ['an id of 5,000 characters', () => get(`/domains/${'a'.repeat(5000)}`)],
    ['an id cut by a null byte', () => get(`/emails/${ownEmail}%00`)],
    ['an id cut by a null byte, of a sender', () => ({ ...get(`/senders/${api.senderId}%00`), method: 'DELETE' })],
    ['an id that goes on after a null byte', () => get(`/emails/${ownEmail}%00x`)],
  ]),
  ...refused(405, 'method_not_allowed', [
    ['a method that the path does not support', () => ({ ...get('/domains'), method: 'PUT' })],
  ]),
];

const unauthorised = [
  ...refused(401, 'invalid_api_key', [
    ['no credential', () => ({ method: 'GET', url: '/events' })],
    ['no credential and no JSON', () => ({ method: 'POST', url: '/domains', headers: json, payload: '{' })],
    ['another scheme', () => get('/events', `Basic ${api.token}`)],
    ['an empty token', () => get('/events', 'Bearer ')],
    ['two tokens', () => get('/events', `Bearer ${api.token} ${api.token}`)],
    ['a token cut short', () => get('/events', `Bearer ${api.token.slice(0, -1)}`)],
    ['an unknown key with a checksum that fits', () => get('/events', `Bearer ${newApiKeyToken()}`)],
    ['a revoked key', () => get('/events', `Bearer ${revokedToken}`)],
  ]),
  ...refused(403, 'insufficient_scope', [
    ['the operator token for a domain', () => byOperator(post('/domains', { name: 'a.test' }))],
    ['an API key asking for a key of another account', () => post('/api-keys', { account: 'globex' })],
    ['an API key asking for a key of an account that does not exist', () => post('/api-keys', { account: 'nobody' })],
  ]),
];

const badKeys = [
  ...refused(400, 'idempotency_key_required', [
    ['an email without Idempotency-Key', () => post('/emails', email(api.senderId))],
  ]),
  ...refused(
    400,
    'idempotency_key_malformed',
    Object.entries({
      'an empty one': '',
      'one with a space': 'two words',
      'one with a quote that is not closed': '"open',
      'one that is an empty string in quotes': '""',
      'one of 256 characters': 'k'.repeat(256),
      'one that is not ASCII': 'schlüssel',
      'two of them': 'one, two',
    }).map(([title, key]) => [`Idempotency-Key: ${title}`, () => send({}, key)]),
  ),
];

const badDomains = (
  [
    ['nothing', undefined, 'required'],
    ['null', null, 'wrong_type'],
    ['a number', 5, 'wrong_type'],
    ['an array', ['a.test'], 'wrong_type'],
    ['an empty text', '', 'too_short'],
    ['300 characters', `${'a.'.repeat(148)}test`, 'too_long'],
    ['a label of 64 characters', `${'a'.repeat(64)}.test`, 'too_long'],
    [
      'a name that leaves no room for its DKIM name',
      `${'a'.repeat(60)}.`.repeat(4).slice(0, 240) + '.test',
      'too_long',
    ],
    ['one label', 'localhost', 'not_a_domain'],
    ['a public suffix', 'co.uk', 'public_suffix'],
    ['a public suffix in upper case', 'GitHub.io', 'public_suffix'],
    ['an IPv4 address', '192.0.2.1', 'not_a_domain'],
    ['an IPv6 address', '2001:db8::1', 'not_a_domain'],
    ['a number as last label', 'a.123', 'not_a_domain'],
    ['an international name', 'bücher.example', 'not_ascii'],
    ['a Kelvin sign, which is a k in lower case', '\u212a.test', 'not_ascii'],
    ['a URL', 'https://acme.test', 'malformed'],
    ['an address', 'me@acme.test', 'malformed'],
    ['an underscore', 'a_b.test', 'malformed'],
    ['a wildcard', '*.acme.test', 'malformed'],
    ['a hyphen at the end', 'acme-.test', 'malformed'],
    ['two final dots', 'acme.test..', 'malformed'],
    ['two dots', 'acme..test', 'malformed'],
    ['an A-label that is none', 'xn--a.test', 'malformed'],
    ['a line break', 'acme.test\n', 'malformed'],
    ['a null byte', 'acme.test\0.evil.test', 'malformed'],
    ['half a surrogate pair', 'acme\ud800.test', 'malformed'],
  ] as const
).map(([title, name, code]) => field(`a domain: ${title}`, () => post('/domains', { name }), '/name', code));

const badSenders = (
  [
    ['no @', 'hello', '/from_address', 'malformed'],
    ['a name without angle brackets', 'Ada ada@acme.test', '/from_address', 'malformed'],
    ['a local part of 65 characters', `${'a'.repeat(65)}@acme.test`, '/from_address', 'too_long'],
    ['two dots', 'a..b@acme.test', '/from_address', 'malformed'],
    ['a line break', 'a@acme.test\r\nBcc: x@y.test', '/from_address', 'malformed'],
  ] as const
).map(([title, from_address, pointer, code]) =>
  field(`a sender: ${title}`, () => post('/senders', { from_address }), pointer, code),
);

const badEmails = (
  [
    ['an unknown sender', { sender_id: 'snd_00000000000000000000000000' }, '/sender_id', 'sender_not_found'],
    ['a recipient that is an object', { recipient: { address: 'a@b.test' } }, '/recipient', 'wrong_type'],
    ['two recipients in one text', { recipient: 'a@b.test, c@d.test' }, '/recipient', 'malformed'],
    ['a recipient without a domain', { recipient: 'ada@' }, '/recipient', 'not_a_domain'],
    ['a recipient on an international domain', { recipient: 'ada@bücher.example' }, '/recipient', 'not_ascii'],
    ['a recipient on a domain with a Kelvin sign', { recipient: 'ada@\u212a.test' }, '/recipient', 'not_ascii'],
    ['a recipient with a local part that is not ASCII', { recipient: 'büro@acme.test' }, '/recipient', 'malformed'],
    [
      'a recipient with an SMTP command behind a line break',
      { recipient: 'a@b.test>\r\nDATA' },
      '/recipient',
      'malformed',
    ],
    ['CRLF in the subject', { subject: 'Hi\r\nBcc: eve@evil.test' }, '/subject', 'malformed'],
    ['a bare LF in the subject', { subject: 'Hi\nthere' }, '/subject', 'malformed'],
    ['half a surrogate pair in the subject', { subject: 'Hi \ud83d' }, '/subject', 'malformed'],
    ['a subject of 999 characters', { subject: 'a'.repeat(999) }, '/subject', 'too_long'],
    ['an empty body', { body: '' }, '/body', 'too_short'],
    ['a null byte in the body', { body: 'a\0b' }, '/body', 'malformed'],
    ['half a surrogate pair in the HTML', { html: '<p>\udc00</p>' }, '/html', 'malformed'],
    ['a body of a million characters and two million bytes', { body: 'ä'.repeat(1_000_000) }, '/body', 'too_long'],
    ['CRLF in the value of a header', { headers: { 'X-A': 'a\r\nBcc: eve@evil.test' } }, '/headers/X-A', 'malformed'],
    ['CRLF in the name of a header', { headers: { 'X-A\r\nBcc': 'eve@evil.test' } }, '/headers', 'malformed'],
    [
      'a colon in the name of a header',
      { headers: { 'Bcc: eve@evil.test\u0020': 'x' } },
      '/headers/Bcc: eve@evil.test ',
      'malformed',
    ],
    ['a Bcc header', { headers: { bcc: 'eve@evil.test' } }, '/headers/bcc', 'reserved_header'],
    ['a From header', { headers: { FROM: 'eve@evil.test' } }, '/headers/FROM', 'reserved_header'],
    ['a DKIM-Signature header', { headers: { 'DKIM-Signature': 'v=1' } }, '/headers/DKIM-Signature', 'reserved_header'],
    ['a Content-Type header', { headers: { 'Content-Type': 'text/html' } }, '/headers/Content-Type', 'reserved_header'],
    ['one header twice', { headers: { 'X-A': '1', 'x-a': '2' } }, '/headers/x-a', 'duplicate'],
    ['headers in an array', { headers: [] }, '/headers', 'wrong_type'],
    ['metadata that is not text', { metadata: { order: 5 } }, '/metadata/order', 'wrong_type'],
    ['tags that are one text', { tags: 'welcome' }, '/tags', 'wrong_type'],
    ['one tag twice', { tags: ['a', 'a'] }, '/tags', 'duplicate'],
    ['eleven tags', { tags: Array.from({ length: 11 }, (_, n) => `t${n}`) }, '/tags', 'too_many'],
    ['a tag of 65 characters', { tags: ['x'.repeat(65)] }, '/tags/0', 'too_long'],
    ['an empty tag', { tags: [''] }, '/tags/0', 'too_short'],
    ['a tag of two lines', { tags: ['a\nb'] }, '/tags/0', 'malformed'],
    ['an expiry below a minute', { expires_in: 59 }, '/expires_in', 'too_small'],
    ['an expiry in text', { expires_in: '3600' }, '/expires_in', 'wrong_type'],
    ['an expiry that is not whole', { expires_in: 60.5 }, '/expires_in', 'wrong_type'],
    ['an unknown field', { recipients: ['a@b.test'] }, '/recipients', 'unknown_field'],
    [
      'metadata with 51 names',
      { metadata: Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`n${n}`, ''])) },
      '/metadata',
      'too_many',
    ],
  ] as const
).map(([title, changes, pointer, code]) => field(`an email: ${title}`, () => send(changes), pointer, code));

const badWebhooks = (
  [
    ['a text that is no URL', { url: 'receiver' }, '/url', 'malformed'],
    ['http', { url: 'http://receiver.example.com/' }, '/url', 'not_https'],
    ['another scheme', { url: 'file:///etc/passwd' }, '/url', 'not_https'],
    ['a loopback address', { url: 'https://127.0.0.1/' }, '/url', 'private_address'],
    ['a loopback address in hexadecimal', { url: 'https://0x7f000001/' }, '/url', 'private_address'],
    ['a private address', { url: 'https://10.0.0.1/' }, '/url', 'private_address'],
    ['the metadata address of clouds', { url: 'https://169.254.169.254/' }, '/url', 'private_address'],
    ['an IPv6 loopback address', { url: 'https://[::1]/' }, '/url', 'private_address'],
    ['a private IPv4 address inside of IPv6', { url: 'https://[::ffff:10.0.0.1]/' }, '/url', 'private_address'],
    ['localhost', { url: 'https://localhost/' }, '/url', 'private_address'],
    ['credentials', { url: 'https://user:secret@receiver.example.com/' }, '/url', 'credentials_in_url'],
    ['no events', { events: [] }, '/events', 'too_few'],
    ['an unknown event', { events: ['email.opened'] }, '/events/0', 'unknown_value'],
    ['an event that is never emitted', { events: ['email.delivered', 'domain.deleted'] }, '/events/1', 'unknown_value'],
    ['another such event', { events: ['email.queued'] }, '/events/0', 'unknown_value'],
    ['a test event', { events: ['webhook.test'] }, '/events/0', 'unknown_value'],
    ['an event twice', { events: ['email.delivered', 'email.delivered'] }, '/events', 'duplicate'],
  ] as const
).map(([title, changes, pointer, code]) =>
  field(
    `a webhook: ${title}`,
    () => post('/webhooks', { url: 'https://receiver.example.com/', events: ['email.delivered'], ...changes }),
    pointer,
    code,
  ),
);

const others: readonly BadRequest[] = [
  field('an array instead of an object', () => post('/domains', []), '', 'wrong_type'),
  field('null instead of an object', () => post('/domains', null), '', 'wrong_type'),
  field('an array nested 99 levels deep', () => raw('/domains', `{"name":${nested(99)}}`), '/name', 'wrong_type'),
  field('an unknown field', () => post('/domains', { name: 'a.test', region: 'eu' }), '/region', 'unknown_field'),
  field(
    'an account name with a line break',
    () => byOperator(post('/api-keys', { account: 'a\nb' })),
    '/account',
    'malformed',
  ),
  field(
    'a scope that does not exist',
    () => post('/api-keys', { scopes: ['emails:send'] }),
    '/scopes/0',
    'unknown_value',
  ),
  field('no scope', () => post('/api-keys', { scopes: [] }), '/scopes', 'too_few'),
  field('a scope twice', () => post('/api-keys', { scopes: ['send', 'send'] }), '/scopes', 'duplicate'),
  field('scopes as a text', () => post('/api-keys', { scopes: 'send' }), '/scopes', 'wrong_type'),
  field('a page of 101 events', () => get('/events?limit=101'), '/limit', 'too_large'),
  field('a page of "all" events', () => get('/events?limit=all'), '/limit', 'wrong_type'),
  field('the same parameter twice', () => get('/events?limit=1&limit=2'), '/limit', 'wrong_type'),
  field('an unknown parameter', () => get('/events?before=evt_1'), '/before', 'unknown_field'),
  field('events after an unknown one', () => get('/events?after=evt_1'), '/after', 'event_not_found'),
  field(
    "an email from another account's sender",
    () => send({ sender_id: foreign['sender'] }),
    '/sender_id',
    'sender_not_found',
  ),
  ...refused(
    422,
    'domain_not_verified',
    [
      ['a domain that is not verified', 'hello@pending.test'],
      ['a domain that is not registered', 'hello@elsewhere.test'],
      ["another account's domain", 'hello@globex.test'],
      ['a subdomain of a registered domain', 'hello@mail.acme.test'],
    ].map(([title = '', from_address]) => [`a sender on ${title}`, () => post('/senders', { from_address })]),
  ),
  ...refused(409, 'already_exists', [
    ['a sender that exists', () => post('/senders', { from_address: 'hello@ACME.test' })],
    ['a domain that exists, in upper case and with a final dot', () => post('/domains', { name: 'ACME.TEST.' })],
  ]),
  ...refused(
    404,
    'not_found',
    (
      [
        ['GET', 'domains', 'domain'],
        ['DELETE', 'domains', 'domain'],
        ['POST', 'domains', 'domain'],
        ['DELETE', 'senders', 'sender'],
        ['GET', 'emails', 'email'],
        ['DELETE', 'webhooks', 'webhook'],
        ['DELETE', 'api-keys', 'key'],
      ] as const
    ).map(([method, path, kind]) => [
      `${method} with the id of another account's ${kind}`,
      () => ({ ...get(`/${path}/${foreign[kind] ?? ''}${method === 'POST' ? '/verify' : ''}`), method }),
    ]),
  ),
];

describe('a bad request', () => {
  test.each([
    ...unreadable,
    ...unauthorised,
    ...badKeys,
    ...badDomains,
    ...badSenders,
    ...badEmails,
    ...badWebhooks,
    ...others,
  ])('is refused with $status $code: $title', async ({ request, status, code, pointer, fieldCode }) => {
    const before = await everyRow();
    const answer = await api.inject(request());
    const problem = expectProblem(answer);
    expect([answer.statusCode, problem.code]).toEqual([status, code]);
    expect(problem.errors?.[0]).toEqual(
      pointer === undefined ? undefined : { pointer, code: fieldCode, detail: expect.any(String) as string },
    );
    expect(await everyRow()).toEqual(before);
  });

  test('is answered with all of its errors at once, up to twenty', async () => {
    const three = await api.inject(send({ recipient: 'nobody', headers: { From: 'x', 'b c': 'y' } }));
    expect(three.json<Problem>().errors?.map(({ pointer }) => pointer)).toEqual([
      '/recipient',
      '/headers/From',
      '/headers/b c',
    ]);
    const many = await api.inject(
      post('/domains', Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`f${n}`, n]))),
    );
    expect(many.json<Problem>().errors).toHaveLength(20);
  });

  test.each([
    ['body', '', (fields: object) => fields],
    ['metadata', '/metadata', (metadata: object) => email(api.senderId, { metadata })],
  ])('with thirty thousand fields in its %s is answered with one error', async (_, at, within) => {
    const fields = Object.fromEntries(Array.from({ length: 30_000 }, (_value, n) => [`f${n}`, n]));
    const answer = await api.inject(
      raw('/emails', JSON.stringify(within(fields)), { ...json, 'idempotency-key': 'k' }),
    );
    expect(answer.statusCode).toBe(422);
    expect(answer.json<Problem>().errors).toEqual([
      { pointer: at, code: 'too_many', detail: expect.stringContaining('30000 entries') as string },
    ]);
  });

  test('is answered with the A-label of an international domain, and with the id of an existing sender', async () => {
    const international = await api.inject(post('/domains', { name: 'Bücher.example' }));
    expect(international.json<Problem>().detail).toContain('xn--bcher-kva.example');
    const doubled = await api.inject(post('/senders', { from_address: 'hello@acme.test' }));
    expect(doubled.json<Problem>().existing_id).toBe(api.senderId);
  });

  test('with a typo in the key is answered with the checksum error, without a database query', async () => {
    const typo = `${api.token.slice(0, 12)}${api.token[12] === 'x' ? 'y' : 'x'}${api.token.slice(13)}`;
    const answer = await api.get('/events', typo);
    expect(answer.json<Problem>().detail).toContain('checksum');
    expect(answer.headers['www-authenticate']).toBe('Bearer realm="email service", error="invalid_token"');
  });

  test("gets the same answer for another account's id and one that never existed", async () => {
    const theirs = await api.get(`/domains/${foreign['domain'] ?? ''}`);
    const nobodys = await api.get('/domains/dom_00000000000000000000000000');
    const shape = (answer: LightMyRequestResponse, id: string): string =>
      JSON.stringify({ ...answer.json<Problem>(), request_id: '' }).replaceAll(id, 'ID');
    expect(shape(theirs, foreign['domain'] ?? '')).toBe(shape(nobodys, 'dom_00000000000000000000000000'));
  });
});

function expectProblem(answer: LightMyRequestResponse): Problem {
  expect(answer.headers['content-type']).toMatch(/^application\/problem\+json/);
  const problem = answer.json<Problem>();
  expect(problem).toMatchObject({
    status: answer.statusCode,
    title: expect.stringMatching(/./) as string,
    detail: expect.stringMatching(/./) as string,
    request_id: answer.headers['x-request-id'],
  });
  return problem;
}

async function everyRow(): Promise<unknown> {
  const tables = [
    'accounts',
    'api_keys',
    'domains',
    'senders',
    'emails',
    'webhooks',
    'outbox',
    'idempotency_keys',
  ] as const;
  return Promise.all(tables.map((table) => api.store.selectFrom(table).selectAll().execute()));
}
