import { ServiceError } from '@temporalio/client';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { AgentsMd } from '../../src/client/agents-md/agents-md.ts';
import type { CheckStart, CheckView } from '../../src/client/agents-md/checks.ts';
import { buildHttpApp } from '../../src/http/app.ts';
import { httpDependencies } from '../support/http-dependencies.ts';
import { authorization, expectProblem, pointersOf, request } from '../support/http-requests.ts';

const run = { workflowId: 'agents-md/acme', runId: 'run-1' };
const check = { producerId: 'acme', running: null, latest: null } as unknown as CheckView;

let started: CheckStart | Error;
let hasEnded: boolean | 'never';
let givenUp: number;
let calls: unknown[][];
let looks: number;

const scripted = {
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
    async get() {
      looks += 1;
      return check;
    },
  },
  // The catalogue is tested against a database: producer-routes.test.ts.
} as Pick<AgentsMd, 'checks'> as AgentsMd;

const build = (agentsMd: AgentsMd | undefined): FastifyInstance => buildHttpApp(httpDependencies({ agentsMd }));

beforeEach(() => {
  started = { kind: 'started', run };
  hasEnded = false;
  givenUp = 0;
  calls = [];
  looks = 0;
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
  request(to, method, url, body, headers);

async function expectInvalid(answer: ReturnType<typeof call>, fields: readonly string[]): Promise<void> {
  expectProblem(await answer, 'validation_failed');
  expect(pointersOf(await answer)).toEqual(fields.map((field) => `/${field}`));
  expect(calls).toEqual([]);
}

const everyCall: [Method, string, unknown?][] = [
  ['POST', '/agents-md-checks', { producerId: 'acme' }],
  ['GET', '/agents-md-checks/acme'],
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

test('an invalid ID is answered with 404 without a call to Temporal', async () => {
  expectProblem(await call('GET', '/agents-md-checks/a%2Fb'), 'not_found');
  expect(looks).toBe(0);
});

test('a request with thirty thousand fields gets one error', async () => {
  const surplus = Object.fromEntries(Array.from({ length: 30_000 }, (_, at) => [`k${at}`, 0]));
  const answer = await call('PUT', '/producers/acme', surplus);
  expect(answer.json()).toMatchObject({ status: 422, errors: [{ pointer: '', code: 'too_many' }] });
  expect(answer.json<{ errors: unknown[] }>().errors).toHaveLength(1);
});
