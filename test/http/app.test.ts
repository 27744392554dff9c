import { gzipSync } from 'node:zlib';
import { ServiceError } from '@temporalio/client';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Webhook } from 'standardwebhooks';
import { pino } from 'pino';
import { buildHttpApp } from '../../src/http/app.ts';
import type { DomainReport } from '../../src/onboarding/domain-report.ts';
import type { UpdateOutcome } from '../../src/client/onboarding/run-update.ts';
import type { StoredRecord } from '../../src/store/onboarding/register.ts';
import { httpDependencies, runningView } from '../support/http-dependencies.ts';
import { authorization, expectProblem, pointersOf, request } from '../support/http-requests.ts';
import { OnboardingUnavailable } from '../../src/client/onboarding/onboarding-unavailable.ts';
import type { Onboardings } from '../../src/client/onboarding/onboardings.ts';
import type { StartOutcome } from '../../src/client/onboarding/start-onboarding.ts';
import type { OnboardingView } from '../../src/client/onboarding/onboarding-view.ts';
import { problemCodes } from '../../src/lib/http/problem-codes.ts';
import { signingSecretRef, WEBHOOK_SECRET_HEADER } from '../../src/onboarding/onboarding-ids.ts';
import { putIssued } from '../../src/store/issued-secret.ts';
import { SqliteError } from '../../src/lib/sql/sqlite-error.ts';
import type { PlacedGap } from '../../src/lib/temporal/setup/setup-gap.ts';
import { memorySecretStore } from '../support/scripted-provider.ts';

const SIGNING_SECRET = `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`;

const view = runningView();
const record = {} as StoredRecord;
const body = {
  domain: 'acme.test',
  fromAddress: 'hello@acme.test',
  firstEmail: { recipient: 'ada@inbox.test', subject: 'Welcome', body: 'It works.' },
};

let outcome: StartOutcome | Error;
let found: OnboardingView | undefined;
let isWaiting: boolean;
let notified: { tenantId: string; eventId: string; type: string }[];
let started: unknown[];
let restarted: unknown[];
let cancelled: string[];
let updateOutcome: UpdateOutcome<unknown>;
let gaps: PlacedGap[];
let temporalAnswers: boolean;
let checkDatabase: () => Promise<true>;

const onboardings: Onboardings = {
  async start(input) {
    started.push(input);
    if (outcome instanceof Error) throw outcome;
    return outcome;
  },
  async restart(input) {
    restarted.push(input);
    if (outcome instanceof Error) throw outcome;
    return outcome;
  },
  async cancel(tenantId) {
    cancelled.push(tenantId);
  },
  checkNow: async () => updateOutcome as UpdateOutcome<DomainReport>,
  extend: async () => updateOutcome as UpdateOutcome<{ verificationDeadline: string }>,
  async wakeUp(tenantId, wakeUp) {
    notified.push({ tenantId, ...wakeUp });
    return isWaiting;
  },
};
const secrets = memorySecretStore();
const dependencies = httpDependencies({
  onboardings,
  views: { get: async () => found, of: async () => view, list: async () => [] },
  register: { ...httpDependencies().register, addEvent: async () => undefined },
  secrets,
  findSetupGaps: async () => {
    if (!temporalAnswers) throw new Error('connection refused');
    return gaps;
  },
  checkDatabase: () => checkDatabase(),
});

/** One for all tests, because building it takes longer than most of them. */
const app = buildHttpApp(dependencies);
beforeAll(() => putIssued(secrets, signingSecretRef('acme'), { id: 'whk_1', secret: SIGNING_SECRET }));
afterAll(() => app.close());

beforeEach(() => {
  outcome = { kind: 'started', record };
  found = view;
  isWaiting = true;
  notified = [];
  started = [];
  restarted = [];
  cancelled = [];
  updateOutcome = { kind: 'unanswered' };
  temporalAnswers = true;
  checkDatabase = async () => true;
  gaps = [];
});

const get = (url: string) => request(app, 'GET', url);
const post = (call: string, body?: object, headers?: Record<string, string>) =>
  request(app, 'POST', `/onboardings/acme/${call}`, body, headers);
const put = (payload: unknown, headers: Record<string, string> = { authorization }, tenantId = 'acme') =>
  app.inject({
    method: 'PUT',
    url: `/onboardings/${tenantId}`,
    headers: { 'content-type': 'application/json', ...headers },
    payload: typeof payload === 'string' ? payload : JSON.stringify(payload),
  });
/** Refused, with these errors and no other, and nothing is started. */
async function expectRefused(body: object, ...errors: readonly { pointer: string; detail: string }[]): Promise<void> {
  const answer = await put(body);
  expectProblem(answer, 'validation_failed');
  expect(answer.json()).toMatchObject({
    errors: errors.map(({ pointer, detail }) => ({
      ...{ pointer, code: expect.any(String) as string },
      detail: expect.stringContaining(detail) as string,
    })),
  });
  expect(started).toEqual([]);
}

test('POST /onboardings/{tenantId}/cancel answers 202 with the onboarding, and 404 without one', async () => {
  for (const headers of [{}, { 'content-type': 'application/json' }] as const) {
    const answer = await post('cancel', undefined, headers);
    expect(answer.statusCode).toBe(202);
    expect(answer.json()).toEqual(view);
  }
  expect(cancelled).toEqual(['acme', 'acme']);
  found = undefined;
  expectProblem(await post('cancel'), 'not_found');
});

test.each([
  ['noWorker', 'No Worker of the onboardings answers, so the request was not sent to the onboarding.'],
  ['unanswered', 'A Worker is running, but the onboarding has not executed the request in time, and may still do so.'],
  ['begun', 'A Worker is running, but the onboarding has not executed the request in time, and may still do so.'],
] as const)('an extension that ends as %s answers 504', async (kind, detail) => {
  updateOutcome = { kind };
  const answer = await post('extend', { hours: 24, by: 'ada', reason: 'slow registrar' });
  expectProblem(answer, 'no_worker_answered');
  expect(answer.json<{ detail: string }>().detail).toContain(detail);
});

test('a check without a result within seconds answers 202 with what shows its result', async () => {
  updateOutcome = { kind: 'begun' };
  found = runningView({ checkedAt: '2026-01-02T03:04:05.000Z' });
  const answer = await post('check-now');
  expect(answer.statusCode).toBe(202);
  expect(answer.json()).toEqual({
    ...{ tenantId: 'acme', check: 'begun', checkedAt: '2026-01-02T03:04:05.000Z' },
    detail: expect.stringContaining('sendoff status acme') as string,
  });
});

test('a check that the onboarding may not have yet answers 429 with the time of the next', async () => {
  const nextAt = new Date(Date.now() + 90_000).toISOString();
  updateOutcome = { kind: 'tooSoon', reason: `the next one is allowed at ${nextAt}`, waitMs: 90_000 };
  const answer = await post('check-now');
  expectProblem(answer, 'too_many_checks');
  expect(answer.json<{ detail: string }>().detail).toBe(`The next one is allowed at ${nextAt}.`);
  expect(answer.headers['retry-after']).toBe('90');
});

describe('POST /onboardings/{tenantId}/restart', () => {
  const restart = (payload: object) => post('restart', payload);

  test('answers 201 to a start, and 200 if the same onboarding exists', async () => {
    expect((await restart(body)).statusCode).toBe(201);
    expect(restarted).toEqual([{ ...body, tenantId: 'acme' }]);
    expect(started).toEqual([]);
    outcome = { kind: 'alreadyThere', record };
    expect((await restart(body)).statusCode).toBe(200);
  });

  test('answers 409 while another onboarding runs, 422 to an invalid input, and 404 without an onboarding', async () => {
    outcome = { kind: 'different', fields: ['domain'], workflowId: 'onboarding/acme' };
    expectProblem(await restart(body), 'onboarding_differs');
    expectProblem(await restart({ ...body, domain: 'no domain' }), 'validation_failed');
    found = undefined;
    expectProblem(await restart(body), 'not_found');
  });
});

describe('PUT /onboardings/{tenantId}', () => {
  test('starts an onboarding: 201 with its state', async () => {
    const answer = await put(body);
    expect(answer.statusCode).toBe(201);
    expect(answer.json()).toEqual(view);
    expect(started).toEqual([{ ...body, tenantId: 'acme' }]);
  });

  test('answers 200 if the same onboarding exists', async () => {
    outcome = { kind: 'alreadyThere', record };
    expect((await put(body)).statusCode).toBe(200);
  });

  test('answers 409 with the differing fields if another onboarding exists', async () => {
    outcome = { kind: 'different', fields: ['domain', 'firstEmail.body'], workflowId: 'onboarding/acme' };
    const answer = await put(body);
    expectProblem(answer, 'onboarding_differs');
    expect(answer.json()).toMatchObject({ fields: ['domain', 'firstEmail.body'] });
  });

  test('answers 422 with every invalid field, and starts nothing', async () => {
    const answer = await put({ ...body, domain: 'a_b.test' });
    expectProblem(answer, 'validation_failed');
    expect(pointersOf(answer)).toEqual(['/fromAddress', '/domain']);
    expect(started).toEqual([]);
  });

  test('answers 422 with every violation of the schema, and says that the tenant id belongs in the path', async () => {
    const answer = await put({ ...body, domain: 7, tenantId: 'acme', firstEmail: { recipient: null } });
    expectProblem(answer, 'validation_failed');
    expect(pointersOf(answer)).toEqual([
      '/tenantId',
      '/domain',
      '/firstEmail/subject',
      '/firstEmail/body',
      '/firstEmail/recipient',
    ]);
    expect(answer.json<{ detail: string }>().detail).toContain('tenantId belongs in the URL path, not in the body.');
    expect(started).toEqual([]);
  });

  test('accepts domains in any case and starts with them in lower case', async () => {
    const firstEmail = { ...body.firstEmail, recipient: 'Ada@Inbox.TEST' };
    expect((await put({ ...body, domain: 'ACME.Test.', fromAddress: 'Hello@acme.TEST', firstEmail })).statusCode).toBe(
      201,
    );
    expect(started).toEqual([
      {
        tenantId: 'acme',
        domain: 'acme.test',
        fromAddress: 'Hello@acme.test',
        firstEmail: { ...firstEmail, recipient: 'Ada@inbox.test' },
      },
    ]);
  });

  test("accepts the sender's display name in its address or beside it, and starts with it beside it", async () => {
    expect((await put({ ...body, fromAddress: '"Acme, Inc." <hello@ACME.test>' })).statusCode).toBe(201);
    expect((await put({ ...body, fromName: 'Acme, Inc.' })).statusCode).toBe(201);
    const input = { ...body, tenantId: 'acme', fromName: 'Acme, Inc.' };
    expect(started).toEqual([input, input]);
  });

  test('accepts a window of 3d, and lists the accepted forms otherwise', async () => {
    expect((await put({ ...body, verificationWindow: '3d' })).statusCode).toBe(201);
    const answer = await put({ ...body, verificationWindow: '3 fortnights' });
    expectProblem(answer, 'validation_failed');
    expect(answer.json<{ detail: string }>().detail).toContain('3d, 72h, "3 days", "1.5 hours"; found "3 fortnights"');
  });

  const email = (changes: Partial<typeof body.firstEmail>) => ({ firstEmail: { ...body.firstEmail, ...changes } });
  const at = (domain: string) => ({ domain, fromAddress: `hello@${domain}` });

  test.each([
    [
      'a name with a comma',
      { fromAddress: 'Acme, Inc. <hello@acme.test>' },
      '/fromAddress',
      'contains , in double quotes',
    ],
    [
      'a name of two lines',
      { fromAddress: 'A\r\nBcc: b <hello@acme.test>' },
      '/fromAddress',
      'found a tab or line break.',
    ],
    ['half a character in a name', { fromName: 'A\ud800' }, '/fromName', 'found U+D800 at character 2.'],
    ['a name of 201 characters', { fromName: 'x'.repeat(201) }, '/fromName', 'at most 200 characters; found 201.'],
    ['an empty name', { fromName: '' }, '/fromName', 'Expected a display name; found no visible character.'],
    ['two names', { fromAddress: 'A <hello@acme.test>', fromName: 'B' }, '/fromName', 'found "B".'],
    ['an address elsewhere', { fromAddress: 'A <hello@other.test>' }, '/fromAddress', 'found "hello@other.test".'],
    ['a form feed in the body', email({ body: 'It\fworks.' }), '/firstEmail/body', 'found U+000C at character 3.'],
    [
      'a C1 character in the subject',
      email({ subject: 'Hi\u0085' }),
      '/firstEmail/subject',
      'found U+0085 at character 3.',
    ],
    ['a body of 1.2 MB', email({ body: '中'.repeat(400_000) }), '/firstEmail/body', 'found 1200000.'],
    [
      'an A-label that is none',
      email({ recipient: 'ada@xn--a.test' }),
      '/firstEmail/recipient',
      'not a valid A-label (RFC 5890).',
    ],
    [
      'a U-label',
      email({ recipient: 'ada@bücher.test' }),
      '/firstEmail/recipient',
      'Replace it with its A-label form xn--bcher-kva.test',
    ],
    ['a public suffix', at('co.uk'), '/domain', 'such as acme.co.uk; found the public suffix'],
    ['a private suffix', at('github.io'), '/domain', 'such as acme.github.io; found the public suffix'],
  ])('refuses %s, as the email service would days later', async (_name, changes, pointer, detail) => {
    await expectRefused({ ...body, ...changes }, { pointer, detail });
  });

  test.each([
    ['not JSON', '{', {}, 'malformed_json'],
    ['no body', '', {}, 'validation_failed'],
    ['white space alone', ' ', {}, 'malformed_json'],
    ['text', JSON.stringify(body), { 'content-type': 'text/plain' }, 'unsupported_media_type'],
    ['a content type that is none', JSON.stringify(body), { 'content-type': 'json' }, 'unsupported_media_type'],
    ['a JSON array', '[]', {}, 'validation_failed'],
    ['arrays nested 300,000 levels deep', '['.repeat(300_000) + ']'.repeat(300_000), {}, 'malformed_json'],
    ['a JSON null', 'null', {}, 'validation_failed'],
    ['another content type', 'a=b', { 'content-type': 'application/x-www-form-urlencoded' }, 'unsupported_media_type'],
    ['a body of 7 MB', JSON.stringify({ ...body, x: 'x'.repeat(7_000_000) }), {}, 'payload_too_large'],
    ['a prototype in the body', '{"__proto__": {"domain": "x"}}', {}, 'malformed_json'],
  ] as const)('answers %s with a problem, not with 500', async (_name, payload, headers, code) => {
    expectProblem(await put(payload, { authorization, ...headers }), code);
  });

  test.each([
    [
      'bytes that are not UTF-8',
      Buffer.from(JSON.stringify({ ...body, firstEmail: { ...body.firstEmail, subject: '\xff' } }), 'latin1'),
      {},
      'malformed_json',
    ],
    ['a compressed body', gzipSync(JSON.stringify(body)), { 'content-encoding': 'gzip' }, 'unsupported_media_type'],
  ] as const)('refuses %s and starts nothing', async (_name, payload, headers, code) => {
    const all = { 'content-type': 'application/json', authorization, ...headers };
    expectProblem(await app.inject({ method: 'PUT', url: '/onboardings/acme', headers: all, payload }), code);
    expect(started).toEqual([]);
  });

  test.each([
    ['no token', {}],
    ['another token', { authorization: 'Bearer something-else' }],
    ['another scheme', { authorization: 'Basic YTpi' }],
  ])('answers 401 to %s', async (_name, headers) => {
    expectProblem(await put(body, headers), 'invalid_api_key');
    expect(started).toEqual([]);
  });

  test('answers 503 with Retry-After while Temporal cannot be reached', async () => {
    const cause = Object.assign(new Error('14 UNAVAILABLE: secret-host:7233'), { code: 14 });
    outcome = new ServiceError('Failed to start Workflow', { cause });
    const answer = await put(body);
    expectProblem(answer, 'unavailable');
    expect(answer.headers['retry-after']).toBe('5');
    expect(answer.body).not.toContain('secret-host');
  });

  test('answers 503 with Retry-After and the reason while Temporal has no execution of the onboarding', async () => {
    outcome = new OnboardingUnavailable('Temporal has no execution of acme.');
    const answer = await put(body);
    expectProblem(answer, 'unavailable');
    expect(answer.json()).toMatchObject({ detail: 'Temporal has no execution of acme. Try again.' });
    expect(answer.headers['retry-after']).toBe('5');
  });

  test('answers an unexpected error with 500, without its text', async () => {
    outcome = new TypeError('cannot read the password hunter2');
    const answer = await put(body);
    expectProblem(answer, 'internal_error');
    expect(answer.body).not.toContain('hunter2');
  });
});

test('GET /onboardings/{tenantId} answers the state of the onboarding, and 404 without one', async () => {
  expect((await get('/onboardings/acme')).json()).toEqual(view);
  found = undefined;
  expectProblem(await get('/onboardings/acme'), 'not_found');
});

test('answers a path that cannot be decoded, and a tenant id that is too long, with a problem', async () => {
  expectProblem(await get('/onboardings/%E0%A4%A'), 'malformed_request');
  expect((await put(body, { authorization }, 'a'.repeat(128))).statusCode).toBe(201);
  expectProblem(await put(body, { authorization }, 'a'.repeat(129)), 'validation_failed');
});

describe('a method that a path does not support', () => {
  test.each([
    ['PATCH', '/onboardings/acme', 'GET, HEAD, OPTIONS, PUT'],
    ['DELETE', '/onboardings/acme/cancel', 'OPTIONS, POST'],
    ['GET', '/webhooks/acme', 'OPTIONS, POST'],
    ['TRACE', '/readyz', 'GET, HEAD, OPTIONS'],
  ] as const)('answers %s %s with 405 and Allow', async (method, url, allow) => {
    const answer = await app.inject({ method: method as 'GET', url, headers: { authorization } });
    expectProblem(answer, 'method_not_allowed');
    expect(answer.headers.allow).toBe(allow);
  });

  test('answers OPTIONS with 204 and Allow, and HEAD as GET without the body', async () => {
    const options = await app.inject({ method: 'OPTIONS', url: '/onboardings/acme' });
    expect([options.statusCode, options.headers.allow]).toEqual([204, 'GET, HEAD, OPTIONS, PUT']);
    const head = await app.inject({ method: 'HEAD', url: '/onboardings/acme', headers: { authorization } });
    expect([head.statusCode, head.body]).toEqual([200, '']);
  });
});

test.each(['/docs/static/missing.js', '/openapi-json'])('answers %s with 404, because no route has it', async (url) => {
  expectProblem(await app.inject(url), 'not_found');
});

test('answers an unknown path with 404, whatever its Content-Type', async () => {
  expectProblem(await get('/nothing'), 'not_found');
  const headers = { 'content-type': 'application/json' };
  expectProblem(await request(app, 'POST', '/nothing', undefined, headers), 'not_found');
});

test('readyz reports whether Temporal or the database cannot be used, while livez answers 200', async () => {
  const ready = () => get('/readyz');
  expect((await ready()).json()).toEqual({ status: 'ok', temporal: 'ok', database: 'ok' });
  temporalAnswers = false;
  expect((await ready()).json()).toEqual({ status: 'unavailable', temporal: 'unreachable', database: 'ok' });
  temporalAnswers = true;
  checkDatabase = () => Promise.reject(new Error('locked'));
  const answer = await ready();
  expect(answer.statusCode).toBe(503);
  expect(answer.json()).toEqual({ status: 'unavailable', temporal: 'ok', database: 'unwritable' });
  expect((await get('/livez')).statusCode).toBe(200);
});

test('readyz names Task Queues on which Temporal has not seen the Workers, and livez fails once they are lost', async () => {
  let isLost = false;
  const polls = { unseenOn: () => ['onboarding'], isLost: () => isLost };
  const unseen = buildHttpApp({ ...dependencies, polls });
  const answer = await unseen.inject({ url: '/readyz' });
  expect(answer.statusCode).toBe(503);
  expect(answer.json()).toEqual({ status: 'unavailable', temporal: 'ok', database: 'ok', unseenOn: ['onboarding'] });
  expect((await unseen.inject({ url: '/livez' })).statusCode).toBe(200);
  isLost = true;
  expectProblem(await unseen.inject({ url: '/livez' }), 'unavailable');
  await unseen.close();
});

test('readyz answers every probe while one check of the database hangs', async () => {
  let checks = 0;
  const hanging = buildHttpApp({ ...dependencies, checkDatabase: () => new Promise(() => (checks += 1)) });
  const answers = await Promise.all(Array.from({ length: 20 }, () => hanging.inject({ url: '/readyz' })));
  expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([503]));
  expect((await hanging.inject({ url: '/readyz' })).statusCode).toBe(503);
  expect(checks).toBe(1);
  await hanging.close();
});

test('answers 503 with Retry-After while the database is locked', async () => {
  outcome = new SqliteError('SQLITE_BUSY', 'database is locked');
  const answer = await put(body);
  expectProblem(answer, 'unavailable');
  expect(answer.headers['retry-after']).toBe('5');
});

test('readyz lists the missing Search Attributes and the command that registers them', async () => {
  gaps = [{ kind: 'search_attribute', name: 'SendoffTenant', type: 'Keyword', found: null }];
  const answer = await get('/readyz');
  expect(answer.statusCode).toBe(503);
  expect(answer.json()).toEqual({
    status: 'unavailable',
    temporal: 'not_set_up',
    database: 'ok',
    missing: gaps,
    command: 'sendoff setup',
  });
});

test('readyz stays ready without the background Namespace, and names it', async () => {
  gaps = [{ kind: 'namespace', name: 'own-background', background: true }];
  const answer = await get('/readyz');
  expect(answer.statusCode).toBe(200);
  expect(answer.json()).toMatchObject({ status: 'ok', temporal: 'not_set_up', missing: gaps });
  gaps = [...gaps, { kind: 'namespace_refused', name: 'own' }];
  const refused = await get('/readyz');
  expect(refused.statusCode).toBe(503);
  expect(refused.json()).toEqual({
    status: 'unavailable',
    temporal: 'refused',
    database: 'ok',
    missing: gaps,
    command: 'sendoff setup',
  });
});

describe('POST /webhooks/{tenantId}', () => {
  // It remembers what it has answered to each webhook.
  let receiver: ReturnType<typeof buildHttpApp>;
  beforeEach(() => {
    receiver = buildHttpApp(dependencies);
  });
  afterEach(() => receiver.close());

  const content = JSON.stringify({ type: 'domain.verified', timestamp: '2026-01-01T00:00:00Z', data: {} });

  /** A webhook that is right in everything; each test breaks one thing. */
  function webhook(
    changes: {
      secret?: string;
      at?: Date;
      /** Of the sender's clock. */
      aheadMs?: number;
      headers?: Record<string, string>;
      payload?: string;
      tenantId?: string;
    } = {},
  ) {
    const { secret = SIGNING_SECRET, aheadMs = 0, headers = {}, payload = content, tenantId = 'acme' } = changes;
    const { at = new Date(Date.now() + aheadMs) } = changes;
    return receiver.inject({
      method: 'POST',
      url: `/webhooks/${tenantId}`,
      headers: {
        'content-type': 'application/json',
        'webhook-id': 'evt_1',
        'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
        'webhook-signature': new Webhook(secret).sign('evt_1', at, content),
        ...headers,
      },
      payload,
    });
  }

  test('answers 204 to a valid webhook and notifies the onboarding', async () => {
    expect((await webhook()).statusCode).toBe(204);
    expect(notified).toEqual([{ tenantId: 'acme', eventId: 'evt_1', type: 'domain.verified' }]);
  });

  test('answers 204 to a webhook of many thousands of bytes', async () => {
    const payload = JSON.stringify({ type: 'email.bounced', data: { attempts: 'x'.repeat(20_000) } });
    const at = new Date();
    const signature = new Webhook(SIGNING_SECRET).sign('evt_1', at, payload);
    expect((await webhook({ at, payload, headers: { 'webhook-signature': signature } })).statusCode).toBe(204);
  });

  test('accepts a valid signature beside an old one, as during a rotation', async () => {
    const at = new Date();
    const fitting = new Webhook(SIGNING_SECRET).sign('evt_1', at, content);
    expect((await webhook({ at, headers: { 'webhook-signature': `v1,AAAA ${fitting}` } })).statusCode).toBe(204);
  });

  test.each([
    ['another secret', { secret: `whsec_${Buffer.from('another secret').toString('base64')}` }],
    ['an altered body', { payload: content.replace('verified', 'drifted') }],
    ['six minutes old', { aheadMs: -360_000 }],
    ['six minutes ahead', { aheadMs: 360_000 }],
    ['no signature', { headers: { 'webhook-signature': '' } }],
    ['an odd signature', { headers: { 'webhook-signature': 'v1' } }],
    ['another id than the signed one', { headers: { 'webhook-id': 'evt_2' } }],
    ['no body', { payload: '' }],
  ])('answers 401 to %s and notifies no onboarding', async (_name, changes) => {
    expectProblem(await webhook(changes), 'invalid_signature');
    expect(notified).toEqual([]);
  });

  test('accepts the secret in a header, from a provider that signs nothing', async () => {
    const unsigned = (secret: string, payload = 'anything') =>
      webhook({ payload, headers: { 'webhook-signature': '', [WEBHOOK_SECRET_HEADER]: secret } });
    for (const wrong of [SIGNING_SECRET.slice(1), `${SIGNING_SECRET}x`, 'x'])
      expectProblem(await unsigned(wrong), 'invalid_signature');
    expect(notified).toEqual([]);
    for (const payload of ['anything', 'anything', ''])
      expect((await unsigned(SIGNING_SECRET, payload)).statusCode).toBe(204);
    expect(notified).toMatchObject([{ tenantId: 'acme', type: 'unsigned' }]);
  });

  test("answers 401 to another tenant's secret, in a header or as the key of the signature", async () => {
    const secret = `whsec_${Buffer.from('the secret of another tenant, beta').toString('base64')}`;
    await putIssued(secrets, signingSecretRef('beta'), { id: 'whk_beta', secret });
    const unsigned = { 'webhook-signature': '', [WEBHOOK_SECRET_HEADER]: secret };
    expectProblem(await webhook({ headers: unsigned }), 'invalid_signature');
    expectProblem(await webhook({ secret }), 'invalid_signature');
    expect(notified).toEqual([]);
    expect((await webhook({ headers: unsigned, tenantId: 'beta' })).statusCode).toBe(204);
    expect(notified).toMatchObject([{ tenantId: 'beta' }]);
  });

  test('answers 401 until the secret is stored, because 410 would make the provider stop', async () => {
    expectProblem(await webhook({ tenantId: 'early' }), 'invalid_signature');
    expect(notified).toEqual([]);
    await putIssued(secrets, signingSecretRef('early'), { id: 'whk_2', secret: SIGNING_SECRET });
    expect((await webhook({ tenantId: 'early' })).statusCode).toBe(204);
    expect(notified).toEqual([{ tenantId: 'early', eventId: 'evt_1', type: 'domain.verified' }]);
  });

  test('answers 410 if the onboarding has ended', async () => {
    isWaiting = false;
    expectProblem(await webhook(), 'onboarding_gone');
    expect(problemCodes.onboarding_gone.status).toBe(410);
  });
});

test('accepts each of several tokens, and logs the name of the token, never the token', async () => {
  const lines: string[] = [];
  const tokens = ['old', 'new'].map((name) => ({ name, token: `${name}-`.repeat(10) }));
  const rotating = buildHttpApp({
    ...dependencies,
    apiTokens: tokens,
    logger: pino({}, { write: (line) => lines.push(line) }),
  });
  const get = (token: string) =>
    rotating.inject({ url: '/onboardings/acme', headers: { authorization: `Bearer ${token}` } });
  for (const { token } of tokens) expect((await get(token)).statusCode).toBe(200);
  expectProblem(await get('another-token-of-24-characters'), 'invalid_api_key');
  const completed = lines.map((line) => JSON.parse(line) as { msg: string; apiTokenName?: string });
  const names = completed.filter(({ msg }) => msg === 'request completed').map(({ apiTokenName }) => apiTokenName);
  expect(names).toEqual(['old', 'new', undefined]);
  for (const { token } of tokens) expect(lines.join('')).not.toContain(token);
  await rotating.close();
});

test('logs the path of a request, and of its query only the names that the route declares', async () => {
  const lines: string[] = [];
  const logging = buildHttpApp({ ...dependencies, logger: pino({}, { write: (line) => lines.push(line) }) });
  for (const url of [
    '/onboardings?stage=hunter2&hunter2=1&limit=hunter2',
    '/onboardings?hunter2',
    '/absent?token=hunter2',
    '/onboardings/%zz?token=hunter2',
    '/healthz?a=b?hunter2',
  ])
    await logging.inject({ url, headers: { authorization } });
  expect(lines.join('')).not.toContain('hunter2');
  const requests = lines.map((line) => JSON.parse(line) as { req?: { url: string } });
  expect(requests.flatMap(({ req }) => req?.url ?? [])).toEqual([
    '/onboardings?stage&limit',
    '/onboardings',
    '/absent',
    '/onboardings/%zz',
    '/healthz',
  ]);
  await logging.close();
});
