import { ServiceError } from '@temporalio/client';
import type { FastifyInstance } from 'fastify';
import { request } from 'node:http';
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { BATCH_PRODUCERS_MAX } from '../../src/agents-md/batch.ts';
import type { AgentsMd } from '../../src/client/agents-md/agents-md.ts';
import type { BatchStart, BatchView } from '../../src/client/agents-md/check-batches.ts';
import type { CheckStart, CheckView } from '../../src/client/agents-md/checks.ts';
import type { ScheduleSet, ScheduleView } from '../../src/client/agents-md/check-schedules.ts';
import { buildHttpApp } from '../../src/http/app.ts';
import { type ProblemCode, problemCodes } from '../../src/lib/http/problem-codes.ts';
import { httpDependencies } from '../support/http-dependencies.ts';

const API_TOKEN = 'a-token-of-the-backend-long-enough';
const authorization = `Bearer ${API_TOKEN}`;

const run = { workflowId: 'agents-md/acme', runId: 'run-1' };
const check = { producerId: 'acme', running: null, latest: null } as unknown as CheckView;
const schedule = { producerId: 'acme', every: '7d' } as ScheduleView;
const batch = { batchId: 'july', outcome: 'running' } as BatchView;

let started: CheckStart | Error;
let hasEnded: boolean | 'never';
let givenUp: number;
let scheduled: ScheduleSet;
let batched: BatchStart;
let isThere: boolean;
let calls: unknown[][];

const scripted: AgentsMd = {
  // Tested against a database: producer-routes.test.ts.
  catalogue: {} as AgentsMd['catalogue'],
  checks: {
    async start(input) {
      calls.push(['start', input]);
      if (started instanceof Error) throw started;
      return started;
    },
    async untilEnded(_run, signal) {
      calls.push(['untilEnded']);
      if (hasEnded !== 'never') return hasEnded;
      await new Promise((resolve) => {
        signal.addEventListener('abort', resolve);
      });
      givenUp += 1;
      return false;
    },
    get: async () => (isThere ? check : undefined),
  },
  schedules: {
    async put(input) {
      calls.push(['put', input]);
      return scheduled;
    },
    get: async () => (isThere ? schedule : undefined),
    async list(page) {
      calls.push(['list', page]);
      return { data: [schedule], nextCursor: null };
    },
    async pause(producerId, note) {
      calls.push(['pause', producerId, note]);
      return isThere ? schedule : undefined;
    },
    async resume(producerId, note) {
      calls.push(['resume', producerId, note]);
      return isThere ? schedule : undefined;
    },
    async trigger(producerId) {
      calls.push(['trigger', producerId]);
      return isThere ? schedule : undefined;
    },
    delete: async () => isThere,
  },
  batches: {
    async start(batchId, producers) {
      calls.push(['start', batchId, producers]);
      return batched;
    },
    async get(batchId, after) {
      calls.push(['get', batchId, after]);
      return isThere ? batch : undefined;
    },
  },
};

function build(agentsMd: AgentsMd | undefined): FastifyInstance {
  return buildHttpApp(httpDependencies({ agentsMd, apiTokens: [{ name: 'backend', token: API_TOKEN }] }));
}

beforeEach(() => {
  started = { kind: 'started', run };
  hasEnded = false;
  givenUp = 0;
  scheduled = { created: true, changed: [], view: schedule };
  batched = { kind: 'started', view: batch };
  isThere = true;
  calls = [];
});

/** Each for all tests, because building one takes longer than most of them. */
const app = build(scripted);
const withoutChecks = build(undefined);
afterAll(async () => {
  await app.close();
  await withoutChecks.close();
});

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

const call = (method: Method, url: string, body?: unknown, headers: Record<string, string> = {}, to = app) =>
  to.inject({
    method,
    url,
    headers: { authorization, ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
  });

function expectProblem(answer: Awaited<ReturnType<typeof call>>, code: ProblemCode): void {
  expect(answer.headers['content-type']).toBe('application/problem+json; charset=utf-8');
  expect(answer.json()).toMatchObject({ code, status: problemCodes[code].status, title: problemCodes[code].title });
  expect(answer.statusCode).toBe(problemCodes[code].status);
}

async function expectInvalid(answer: ReturnType<typeof call>, fields: readonly string[]): Promise<void> {
  expectProblem(await answer, 'validation_failed');
  const { errors } = (await answer).json<{ errors: { pointer: string }[] }>();
  expect(errors.map(({ pointer }) => pointer)).toEqual(fields.map((field) => `/${field}`));
  expect(calls).toEqual([]);
}

const everyCall: [Method, string, unknown?][] = [
  ['POST', '/agents-md-checks', { producerId: 'acme' }],
  ['GET', '/agents-md-checks/acme'],
  ['PUT', '/agents-md-schedules/acme', { every: '7d' }],
  ['GET', '/agents-md-schedules/acme'],
  ['GET', '/agents-md-schedules'],
  ['DELETE', '/agents-md-schedules/acme'],
  ['POST', '/agents-md-schedules/acme/pause'],
  ['POST', '/agents-md-schedules/acme/resume'],
  ['POST', '/agents-md-schedules/acme/trigger'],
  ['PUT', '/agents-md-batches/july', { producers: [{ producerId: 'acme' }] }],
  ['GET', '/agents-md-batches/july'],
];

describe.each(everyCall)('%s %s', (method, url, body) => {
  test('answers 2xx', async () => {
    expect((await call(method, url, body)).statusCode).toBeLessThan(300);
  });

  test('answers 401 to another token', async () => {
    expectProblem(await call(method, url, body, { authorization: 'Bearer another' }), 'invalid_api_key');
    expect(calls).toEqual([]);
  });

  test('names AGENTS_MD_CONTACT if it is not set, to callers with the token only', async () => {
    const answer = await call(method, url, body, {}, withoutChecks);
    expectProblem(answer, 'agents_md_off');
    expect(answer.json<{ detail: string }>().detail).toContain('AGENTS_MD_CONTACT');
    const refused = await call(method, url, body, { authorization: 'Bearer another' }, withoutChecks);
    expectProblem(refused, 'invalid_api_key');
  });
});

describe('a request with Content-Type: application/json and no body', () => {
  test.each(everyCall.filter(([, , body]) => body === undefined))(
    '%s %s answers as without the header',
    async (method, url) => {
      const without = await call(method, url);
      const withHeader = await call(method, url, undefined, { 'content-type': 'application/json' });
      expect(withHeader.statusCode).toBeLessThan(300);
      expect(withHeader.statusCode).toBe(without.statusCode);
      expect(withHeader.body).toBe(without.body);
      expect(calls.slice(calls.length / 2)).toEqual(calls.slice(0, calls.length / 2));
    },
  );

  test.each(everyCall.filter(([, , body]) => body !== undefined))('%s %s answers 422', async (method, url) => {
    const answer = await call(method, url, undefined, { 'content-type': 'application/json' });
    expectProblem(answer, 'validation_failed');
    expect(answer.json<{ detail: string }>().detail).toBe('The body must be object; found null.');
    expect(calls).toEqual([]);
  });

  test('is accepted over a real connection, chunked or with another Content-Type', async () => {
    const url = `${await app.listen({ host: '127.0.0.1', port: 0 })}/agents-md-schedules/acme/pause`;
    const send = (contentType: string, chunked: boolean): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        const length = chunked ? { 'transfer-encoding': 'chunked' } : { 'content-length': '0' };
        const headers = { authorization, 'content-type': contentType, ...length };
        request(url, { method: 'POST', headers, agent: false }, (response) => {
          response.resume();
          resolve(response.statusCode);
        })
          .on('error', reject)
          .end();
      });
    expect(await send('application/json', true)).toBe(200);
    expect(await send('application/json; charset=utf-8', false)).toBe(200);
    expect(await send('application/x-www-form-urlencoded', false)).toBe(200);
    expect(await send('application/octet-stream', true)).toBe(200);
    expect(calls).toEqual(Array(4).fill(['pause', 'acme', undefined]));
  });
});

describe('POST /agents-md-checks', () => {
  const post = (body: unknown, headers: Record<string, string> = {}) =>
    call('POST', '/agents-md-checks', body, headers);
  const input = { producerId: 'acme', organization: 'acme', primaryRepository: 'acme' };

  test.each(['started', 'joined'] as const)('answers 202 with Location if the check was %s', async (kind) => {
    started = { kind, run };
    const answer = await post(input);
    expect(answer.statusCode).toBe(202);
    expect(answer.headers.location).toBe('/agents-md-checks/acme');
    expect(answer.headers['preference-applied']).toBeUndefined();
    expect(answer.json()).toEqual(check);
    expect(calls).toEqual([['start', input]]);
  });

  test.each([
    ['wait=10', false, 202, 'wait=10'],
    ['wait=10', true, 200, 'wait=10'],
    ['wait=600', true, 200, 'wait=60'],
  ])('Prefer: %s, with a check that has ended: %s, answers %i', async (prefer, ended, status, applied) => {
    hasEnded = ended;
    const answer = await post(input, { prefer });
    expect(answer.statusCode).toBe(status);
    expect(answer.headers['preference-applied']).toBe(applied);
    expect(calls).toContainEqual(['untilEnded']);
  });

  test.each(['wait=soon', 'wait=0', 'respond-async'])('Prefer: %s does not wait', async (prefer) => {
    expect((await post(input, { prefer })).statusCode).toBe(202);
    expect(calls).toHaveLength(1);
  });

  test('stops waiting when the caller hangs up, and when the server stops', async () => {
    hasEnded = 'never';
    const stopped = build(scripted);
    const url = `${await stopped.listen({ host: '127.0.0.1', port: 0 })}/agents-md-checks`;
    const headers = { authorization, 'content-type': 'application/json', prefer: 'wait=60' };
    const request = { method: 'POST', headers, body: JSON.stringify(input) };
    const hangUp = new AbortController();
    const abandoned = fetch(url, { ...request, signal: hangUp.signal });
    await vi.waitUntil(() => calls.length === 2, { timeout: 30_000 });
    hangUp.abort();
    await expect(abandoned).rejects.toThrow();
    await vi.waitUntil(() => givenUp === 1, { timeout: 30_000 });
    const waiting = fetch(url, request);
    await vi.waitUntil(() => calls.length === 4, { timeout: 30_000 });
    await stopped.close();
    expect((await waiting).status).toBe(202);
    expect(givenUp).toBe(2);
  });

  test('answers 409 with the differing fields while another check runs', async () => {
    started = { kind: 'different', run, fields: ['organization'] };
    const answer = await post(input);
    expectProblem(answer, 'check_differs');
    expect(answer.json()).toMatchObject({ fields: ['organization'] });
  });

  test.each<[string, object, string[]]>([
    ['no producer', { organization: 'acme' }, ['producerId']],
    ['a path as producer', { producerId: '../acme' }, ['producerId']],
    ['a URL as organization', { producerId: 'acme', organization: 'https://github.com/acme' }, ['organization']],
    ['a repository of nobody', { producerId: 'acme', primaryRepository: 'x' }, ['organization']],
    [
      'a repository that climbs',
      { producerId: 'acme', organization: 'a', primaryRepository: '..' },
      ['primaryRepository'],
    ],
    ['an unknown host', { producerId: 'acme', host: 'git.example.com' }, ['host']],
    ['an unknown field', { producerId: 'acme', repo: 'acme' }, ['repo']],
    ['null', { producerId: 'acme', organization: null }, ['organization']],
    ['two at once', { producerId: '', organization: 'a/b' }, ['producerId', 'organization']],
  ])('answers 422 to %s, and starts nothing', async (_name, body, fields) => {
    await expectInvalid(post(body), fields);
  });

  test.each([[[]], [null], ['acme'], [7]])('answers 422 to %j, which is not an object', async (body) => {
    expectProblem(await post(body), 'validation_failed');
  });

  test('answers 503 with Retry-After while Temporal cannot be reached', async () => {
    started = new ServiceError('Failed', { cause: Object.assign(new Error('14 UNAVAILABLE'), { code: 14 }) });
    const answer = await post(input);
    expectProblem(answer, 'unavailable');
    expect(answer.headers['retry-after']).toBe('5');
  });
});

describe('a producer or batch that does not exist', () => {
  test.each(everyCall.filter(([method, url]) => method !== 'PUT' && /\/(acme|july)/.test(url)))(
    '%s %s answers 404',
    async (method, url) => {
      isThere = false;
      expectProblem(await call(method, url), 'not_found');
    },
  );

  test.each(['/agents-md-checks/a%2Fb', '/agents-md-schedules/a%3Ab', '/agents-md-batches/a%20b'])(
    'GET %s answers 404 without a call to Temporal',
    async (url) => {
      expectProblem(await call('GET', url), 'not_found');
      expect(calls).toEqual([]);
    },
  );
});

describe('PUT /agents-md-schedules/{producerId}', () => {
  const put = (body: unknown, producerId = 'acme') => call('PUT', `/agents-md-schedules/${producerId}`, body);

  test('answers 201 to a new Schedule', async () => {
    const answer = await put({ organization: 'acme', every: '7d' });
    expect(answer.statusCode).toBe(201);
    expect(answer.json()).toEqual({ ...schedule, changed: [] });
    expect(calls).toEqual([['put', { producerId: 'acme', organization: 'acme', everyMs: 604_800_000 }]]);
  });

  test('answers 200 with the changed fields if the Schedule exists', async () => {
    scheduled = { created: false, changed: ['every'], view: schedule };
    const answer = await put({ every: '7d' });
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toMatchObject({ changed: ['every'] });
  });

  test.each([['1h'], ['365d'], ['8760 hours']])('accepts a period of %j', async (every) => {
    expect((await put({ every })).statusCode).toBe(201);
  });

  test.each<[string, object, string[]]>([
    ['nothing', {}, ['every']],
    ['too often', { every: '59m' }, ['every']],
    ['too seldom', { every: '366d' }, ['every']],
    ['a number', { every: 7 }, ['every']],
    ['weeks', { every: '1w' }, ['every']],
    ['a second producer', { every: '7d', producerId: 'other' }, ['producerId']],
    ['two at once', { every: '', organization: '..' }, ['organization', 'every']],
    ['fields of another shape', { organization: 1, x: 1 }, ['every', 'x', 'organization']],
  ])('answers 422 to %s', async (_name, body, fields) => {
    await expectInvalid(put(body), fields);
  });

  test('answers 422 to an invalid producer id', async () => {
    await expectInvalid(put({ every: '7d' }, 'a%2Fb'), ['producerId']);
  });
});

describe('GET /agents-md-schedules', () => {
  test('lists 20 Schedules by default', async () => {
    expect((await call('GET', '/agents-md-schedules')).json()).toEqual({ data: [schedule], nextCursor: null });
    await call('GET', '/agents-md-schedules?limit=100&cursor=abc');
    expect(calls).toEqual([
      ['list', { limit: 20, cursor: undefined }],
      ['list', { limit: 100, cursor: 'abc' }],
    ]);
  });

  test.each([
    ['limit=0', ['limit']],
    ['limit=101', ['limit']],
    ['limit=x', ['limit']],
    ['limit=1&limit=2', ['limit']],
    ['cursor=', ['cursor']],
    ['cursor=a%2Fb', ['cursor']],
    ['page=2', ['page']],
  ])('answers 422 to ?%s', async (query, fields) => {
    await expectInvalid(call('GET', `/agents-md-schedules?${query}`), fields);
  });
});

describe('POST /agents-md-schedules/{producerId}/pause and /resume', () => {
  test.each(['pause', 'resume'])('%s accepts a note', async (action) => {
    expect((await call('POST', `/agents-md-schedules/acme/${action}`, { note: 'they move' })).statusCode).toBe(200);
    expect(calls).toEqual([[action, 'acme', 'they move']]);
  });

  test('accepts no body, and a body without a note', async () => {
    await call('POST', '/agents-md-schedules/acme/pause');
    await call('POST', '/agents-md-schedules/acme/resume', {});
    expect(calls).toEqual([
      ['pause', 'acme', undefined],
      ['resume', 'acme', undefined],
    ]);
  });

  test.each([
    [{ note: '' }, ['note']],
    [{ note: 7 }, ['note']],
    [{ note: 'x'.repeat(401) }, ['note']],
    [{ reason: 'they move' }, ['reason']],
  ])('answers 422 to %j', async (body, fields) => {
    await expectInvalid(call('POST', '/agents-md-schedules/acme/pause', body), fields);
  });
});

describe('PUT /agents-md-batches/{batchId}', () => {
  const put = (body: unknown, batchId = 'july') => call('PUT', `/agents-md-batches/${batchId}`, body);

  test('answers 422 with one error to a producer with thirty thousand fields', async () => {
    const surplus = Object.fromEntries(Array.from({ length: 30_000 }, (_, i) => [`k${i}`, 0]));
    const answer = await put({ producers: [{ producerId: 'acme', ...surplus }] });
    expect(answer.json()).toMatchObject({ status: 422, errors: [{ pointer: '/producers', code: 'too_many' }] });
    expect(answer.json<{ errors: unknown[] }>().errors).toHaveLength(1);
  });
  const producers = [{ producerId: 'acme', organization: 'acme' }, { producerId: 'globex' }];

  test.each([
    ['started', 201],
    ['alreadyThere', 200],
  ] as const)('answers a batch that was %s with %i', async (kind, status) => {
    batched = { kind, view: batch };
    const answer = await put({ producers });
    expect(answer.statusCode).toBe(status);
    expect(answer.json()).toEqual(batch);
    expect(calls).toEqual([['start', 'july', producers]]);
  });

  test('answers 409 if the id belongs to another list', async () => {
    batched = { kind: 'different', workflowId: 'agents-md-batch/july' };
    expectProblem(await put({ producers }), 'batch_differs');
  });

  test.each<[string, unknown, string[]]>([
    ['no list', {}, ['producers']],
    ['an empty list', { producers: [] }, ['producers']],
    ['one that is too long', { producers: Array(BATCH_PRODUCERS_MAX + 1).fill({}) }, ['producers']],
    ['the id a second time', { batchId: 'july', producers }, ['batchId']],
    ['an unknown field', { producers, rate: 7 }, ['rate']],
    ['a producer twice', { producers: [...producers, producers[0]] }, ['producers/2/producerId']],
    [
      'several that are wrong',
      { producers: [7, { producerId: 'acme' }, { producerId: 'x', host: 'y', z: 1 }] },
      ['producers/0', 'producers/2/z', 'producers/2/host'],
    ],
  ])('answers 422 to %s, with the index of each invalid producer', async (_name, body, fields) => {
    await expectInvalid(put(body), fields);
  });

  test('lists thousands of errors in errors, and 20 of them in the detail', async () => {
    const answer = await put({ producers: Array(3_000).fill({ producerId: '' }) });
    const { errors, detail } = answer.json<{ errors: unknown[]; detail: string }>();
    expect(errors).toHaveLength(5_999);
    expect(detail.length).toBeLessThan(2_000);
    expect(detail).toContain('5979 more errors');
  });

  test('answers 422 to an invalid batch id', async () => {
    await expectInvalid(put({ producers }, 'x'.repeat(65)), ['batchId']);
  });

  test.each([
    ['', 0],
    ['?after=250', 250],
  ])('GET %s', async (query, after) => {
    expect((await call('GET', `/agents-md-batches/july${query}`)).json()).toEqual(batch);
    expect(calls).toEqual([['get', 'july', after]]);
  });

  test.each(['after=-1', 'after=x', 'after=1.5', 'since=1'])('GET answers 422 to ?%s', async (query) => {
    await expectInvalid(call('GET', `/agents-md-batches/july?${query}`), [query.split('=')[0] ?? '']);
  });
});
