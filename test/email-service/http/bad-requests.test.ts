import type { InjectOptions, LightMyRequestResponse } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newApiKeyToken } from '../../../src/email-service/auth/api-key-token.ts';
import type { Problem } from '../../../src/lib/http/problem.ts';
import { email, OPERATOR_TOKEN, startTestApi, type TestApi } from '../support/test-api.ts';

let api: TestApi;
let token: string;
let revokedToken: string;
let senderId: string;
/** Ids that another account has, by the route they belong to. */
const foreign: Record<string, string> = {};

beforeAll(async () => {
  api = await startTestApi();
  token = await api.openAccount('acme');
  senderId = await api.sender(token, 'hello@acme.test');
  await api.post('/domains', { name: 'pending.test' }, { token });

  const made = (await api.post('/api-keys', {}, { token })).json<{ id: string; token: string }>();
  revokedToken = made.token;
  await api.delete(`/api-keys/${made.id}`, token);

  const other = await api.openAccount('globex');
  foreign['sender'] = await api.sender(other, 'hello@globex.test');
  foreign['domain'] = (await api.post('/domains', { name: 'other.test' }, { token: other })).json<{ id: string }>().id;
  foreign['email'] = (await api.post('/emails', email(foreign['sender']), { token: other, key: 'k' })).json<{
    id: string;
  }>().id;
  const webhook = { url: 'https://globex.example.com/', events: ['email.delivered'] };
  foreign['webhook'] = (await api.post('/webhooks', webhook, { token: other })).json<{ id: string }>().id;
  foreign['key'] = (await api.post('/api-keys', {}, { token: other })).json<{ id: string }>().id;
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
const withKey = (): Record<string, string> => ({ authorization: `Bearer ${token}` });
const raw = (url: string, payload: string | Buffer, headers: Record<string, string> = json): InjectOptions => ({
  method: 'POST',
  url,
  headers: { ...withKey(), ...headers },
  payload,
});
const post = (url: string, body: unknown): InjectOptions => raw(url, JSON.stringify(body));
const send = (changes: object, key = 'bad-request'): InjectOptions =>
  raw('/emails', JSON.stringify(email(senderId, changes)), { ...json, 'idempotency-key': key });
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

const unreadable: readonly BadRequest[] = [
  { title: 'text that is not JSON', request: () => raw('/domains', '{"name":'), status: 400, code: 'malformed_json' },
  { title: 'an empty body', request: () => raw('/domains', ''), status: 400, code: 'malformed_json' },
  {
    title: 'arrays nested 20,000 levels deep',
    request: () => raw('/domains', `{"name":${nested(20_000)}}`),
    status: 400,
    code: 'malformed_json',
  },
  {
    title: 'half a million fields below those that the schema reads',
    request: () => raw('/emails', wide(), { ...json, 'idempotency-key': 'wide' }),
    status: 400,
    code: 'malformed_json',
  },
  {
    title: 'bytes that are not UTF-8',
    request: () => raw('/domains', Buffer.from('{"name":"\xff.test"}', 'latin1')),
    status: 400,
    code: 'malformed_json',
  },
  {
    title: 'a __proto__ key',
    request: () => raw('/domains', '{"name":"a.test","__proto__":{"admin":true}}'),
    status: 400,
    code: 'malformed_json',
  },
  {
    title: 'a __proto__ key inside metadata',
    request: () => raw('/emails', '{"metadata":{"__proto__":{"x":"y"}}}', { ...json, 'idempotency-key': 'k' }),
    status: 400,
    code: 'malformed_json',
  },
  {
    title: 'a constructor.prototype key',
    request: () => raw('/domains', '{"name":"a.test","constructor":{"prototype":{}}}'),
    status: 400,
    code: 'malformed_json',
  },
  {
    title: 'a form',
    request: () => raw('/domains', 'name=a.test', { 'content-type': 'application/x-www-form-urlencoded' }),
    status: 415,
    code: 'unsupported_media_type',
  },
  {
    title: 'plain text',
    request: () => raw('/domains', '{"name":"a.test"}', { 'content-type': 'text/plain' }),
    status: 415,
    code: 'unsupported_media_type',
  },
  {
    title: 'a body without Content-Type',
    request: () => raw('/domains', Buffer.from('{"name":"a.test"}'), {}),
    status: 415,
    code: 'unsupported_media_type',
  },
  ...['gzip', 'identity, br'].map((encoding) => ({
    title: `a body with Content-Encoding: ${encoding}`,
    request: () => raw('/domains', '{"name":"encoded.test"}', { ...json, 'content-encoding': encoding }),
    status: 415,
    code: 'unsupported_media_type',
  })),
  {
    title: 'a domain of a megabyte',
    request: () => post('/domains', { name: 'a'.repeat(1_000_000) }),
    status: 413,
    code: 'payload_too_large',
  },
  {
    title: 'an email of 27 megabytes',
    request: () => send({ body: 'a'.repeat(27_000_000) }),
    status: 413,
    code: 'payload_too_large',
  },
  {
    title: 'a broken escape in the URL',
    request: () => ({ method: 'GET', url: '/domains/%ff', headers: withKey() }),
    status: 400,
    code: 'malformed_request',
  },
  {
    title: 'an unknown call',
    request: () => ({ method: 'GET', url: '/nothing', headers: withKey() }),
    status: 404,
    code: 'not_found',
  },
  {
    title: 'a method that the path does not support',
    request: () => ({ method: 'PUT', url: '/domains', headers: withKey() }),
    status: 405,
    code: 'method_not_allowed',
  },
  {
    title: 'an id of 5,000 characters',
    request: () => ({ method: 'GET', url: `/domains/${'a'.repeat(5000)}`, headers: withKey() }),
    status: 404,
    code: 'not_found',
  },
  {
    title: 'an id cut by a null byte',
    request: () => ({ method: 'GET', url: `/emails/${foreign['email'] ?? ''}%00`, headers: withKey() }),
    status: 404,
    code: 'not_found',
  },
];

const unauthorised: readonly BadRequest[] = [
  { title: 'no credential', request: () => ({ method: 'GET', url: '/events' }), status: 401, code: 'invalid_api_key' },
  {
    title: 'no credential and no JSON',
    request: () => ({ method: 'POST', url: '/domains', headers: json, payload: '{' }),
    status: 401,
    code: 'invalid_api_key',
  },
  {
    title: 'another scheme',
    request: () => ({ method: 'GET', url: '/events', headers: { authorization: `Basic ${token}` } }),
    status: 401,
    code: 'invalid_api_key',
  },
  {
    title: 'an empty token',
    request: () => ({ method: 'GET', url: '/events', headers: { authorization: 'Bearer ' } }),
    status: 401,
    code: 'invalid_api_key',
  },
  {
    title: 'two tokens',
    request: () => ({ method: 'GET', url: '/events', headers: { authorization: `Bearer ${token} ${token}` } }),
    status: 401,
    code: 'invalid_api_key',
  },
  {
    title: 'a token cut short',
    request: () => ({ method: 'GET', url: '/events', headers: { authorization: `Bearer ${token.slice(0, -1)}` } }),
    status: 401,
    code: 'invalid_api_key',
  },
  {
    title: 'an unknown key with a checksum that fits',
    request: () => ({ method: 'GET', url: '/events', headers: { authorization: `Bearer ${newApiKeyToken()}` } }),
    status: 401,
    code: 'invalid_api_key',
  },
  {
    title: 'a revoked key',
    request: () => ({ method: 'GET', url: '/events', headers: { authorization: `Bearer ${revokedToken}` } }),
    status: 401,
    code: 'invalid_api_key',
  },
  {
    title: 'the operator token for a domain',
    request: () => ({
      method: 'POST',
      url: '/domains',
      headers: { ...json, authorization: `Bearer ${OPERATOR_TOKEN}` },
      payload: '{"name":"a.test"}',
    }),
    status: 403,
    code: 'insufficient_scope',
  },
  {
    title: 'an API key asking for a key of another account',
    request: () => post('/api-keys', { account: 'globex' }),
    status: 403,
    code: 'insufficient_scope',
  },
  {
    title: 'an API key asking for a key of an account that does not exist',
    request: () => post('/api-keys', { account: 'nobody' }),
    status: 403,
    code: 'insufficient_scope',
  },
];

const badKeys: readonly BadRequest[] = [
  {
    title: 'an email without Idempotency-Key',
    request: () => post('/emails', email(senderId)),
    status: 400,
    code: 'idempotency_key_required',
  },
  ...[
    ['an empty one', ''],
    ['one with a space', 'two words'],
    ['one with a quote that is not closed', '"open'],
    ['one that is an empty string in quotes', '""'],
    ['one of 256 characters', 'k'.repeat(256)],
    ['one that is not ASCII', 'schlüssel'],
    ['two of them', 'one, two'],
  ].map(([title = '', key]) => ({
    title: `Idempotency-Key: ${title}`,
    request: () => send({}, key),
    status: 400,
    code: 'idempotency_key_malformed',
  })),
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
    () => ({
      ...post('/api-keys', { account: 'a\nb' }),
      headers: { ...json, authorization: `Bearer ${OPERATOR_TOKEN}` },
    }),
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
  field(
    'a page of 101 events',
    () => ({ method: 'GET', url: '/events?limit=101', headers: withKey() }),
    '/limit',
    'too_large',
  ),
  field(
    'a page of "all" events',
    () => ({ method: 'GET', url: '/events?limit=all', headers: withKey() }),
    '/limit',
    'wrong_type',
  ),
  field(
    'the same parameter twice',
    () => ({ method: 'GET', url: '/events?limit=1&limit=2', headers: withKey() }),
    '/limit',
    'wrong_type',
  ),
  field(
    'an unknown parameter',
    () => ({ method: 'GET', url: '/events?before=evt_1', headers: withKey() }),
    '/before',
    'unknown_field',
  ),
  field(
    'events after an unknown one',
    () => ({ method: 'GET', url: '/events?after=evt_1', headers: withKey() }),
    '/after',
    'event_not_found',
  ),
  field(
    "an email from another account's sender",
    () => send({ sender_id: foreign['sender'] }),
    '/sender_id',
    'sender_not_found',
  ),
  ...[
    ['a domain that is not verified', 'hello@pending.test'],
    ['a domain that is not registered', 'hello@elsewhere.test'],
    ["another account's domain", 'hello@globex.test'],
    ['a subdomain of a registered domain', 'hello@mail.acme.test'],
  ].map(([title = '', from_address]): BadRequest => ({
    title: `a sender on ${title}`,
    request: () => post('/senders', { from_address }),
    status: 422,
    code: 'domain_not_verified',
  })),
  {
    title: 'a sender that exists',
    request: () => post('/senders', { from_address: 'hello@ACME.test' }),
    status: 409,
    code: 'already_exists',
  },
  {
    title: 'a domain that exists, in upper case and with a final dot',
    request: () => post('/domains', { name: 'ACME.TEST.' }),
    status: 409,
    code: 'already_exists',
  },
  ...(
    [
      ['GET', 'domains', 'domain'],
      ['DELETE', 'domains', 'domain'],
      ['POST', 'domains', 'domain'],
      ['DELETE', 'senders', 'sender'],
      ['GET', 'emails', 'email'],
      ['DELETE', 'webhooks', 'webhook'],
      ['DELETE', 'api-keys', 'key'],
    ] as const
  ).map(([method, path, kind]): BadRequest => ({
    title: `${method} with the id of another account's ${kind}`,
    request: () => ({
      method,
      url: `/${path}/${foreign[kind] ?? ''}${method === 'POST' ? '/verify' : ''}`,
      headers: withKey(),
    }),
    status: 404,
    code: 'not_found',
  })),
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
    ['metadata', '/metadata', (metadata: object) => email(senderId, { metadata })],
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
    expect(doubled.json<Problem>().existing_id).toBe(senderId);
  });

  test('with a typo in the key is answered with the checksum error, without a database query', async () => {
    const typo = `${token.slice(0, 12)}${token[12] === 'x' ? 'y' : 'x'}${token.slice(13)}`;
    const answer = await api.get('/events', typo);
    expect(answer.json<Problem>().detail).toContain('checksum');
    expect(answer.headers['www-authenticate']).toBe('Bearer realm="email service", error="invalid_token"');
  });

  test("gets the same answer for another account's id and one that never existed", async () => {
    const theirs = await api.get(`/domains/${foreign['domain'] ?? ''}`, token);
    const nobodys = await api.get('/domains/dom_00000000000000000000000000', token);
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
