import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { createSendoffClient, SendoffError } from '../../src/api-client/sendoff-client.ts';
import { freePort } from '../../src/dev/temporal/free-port.ts';
import { startScriptedServer } from './scripted-server.ts';

const acme = { params: { path: { tenantId: 'acme' } } };

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}) =>
  (response: ServerResponse): void => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  };
const ok = json(200, { tenantId: 'acme' });
const busy = (retryAfter: string) =>
  json(503, { code: 'unavailable', detail: 'Try again', request_id: 'req_1' }, { 'retry-after': retryAfter });

/** The error of a call to a server that gives this answer, and the number of its attempts. */
async function failure(answer: Parameters<typeof startScriptedServer>[number], options: { timeoutMs?: number } = {}) {
  const { baseUrl, requests } = await startScriptedServer(answer);
  const error: unknown = await createSendoffClient({ baseUrl, token: 'token', ...options })
    .GET('/onboardings/{tenantId}', acme)
    .catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(SendoffError);
  return { error: error as SendoffError, attempts: requests.length };
}

test('sends the token and encodes the path', async () => {
  const { baseUrl, requests } = await startScriptedServer(ok);
  const client = createSendoffClient({ baseUrl: `${baseUrl}/`, token: 'token' });
  const { data, response } = await client.GET('/onboardings/{tenantId}', { params: { path: { tenantId: 'a/b c' } } });
  expect(data.tenantId).toBe('acme');
  expect(response.status).toBe(200);
  expect(requests).toMatchObject([{ call: 'GET /onboardings/a%2Fb%20c', headers: { authorization: 'Bearer token' } }]);
});

test('has a method and a path for every operation of the API', async () => {
  const { baseUrl, requests } = await startScriptedServer(ok);
  const client = createSendoffClient({ baseUrl, token: 'token' });
  const release = { ...acme, body: { by: 'ops', reason: 'Not in the log of the provider.' } };
  await client.POST('/onboardings/{tenantId}/first-email/release', release);
  expect(requests.at(-1)).toMatchObject({ call: 'POST /onboardings/acme/first-email/release' });
  const file = new URL('../../src/http/openapi.json', import.meta.url);
  const { paths } = JSON.parse(readFileSync(file, 'utf8')) as { paths: Record<string, object> };
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => [method.toUpperCase(), path] as const),
  );
  expect(operations.length).toBeGreaterThan(30);
  for (const [method, path] of operations) {
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');
    const params = { path: Object.fromEntries(names.map((name) => [name, 'x'])) };
    const call = client[method as 'GET'] as (path: string, init: object) => Promise<unknown>;
    await call(path, { params });
    expect(requests.at(-1)).toMatchObject({ call: `${method} ${path.replaceAll(/\{\w+\}/g, 'x')}` });
  }
});

test('throws the problem that the API returns', async () => {
  const errors = [{ pointer: '/domain', code: 'invalid', detail: 'domain must be a domain name' }];
  const problem = { code: 'validation_failed', detail: 'domain must be …', status: 422, request_id: 'req_1', errors };
  const { error } = await failure(json(422, problem));
  expect(error).toMatchObject({
    message: 'validation_failed: domain must be …',
    status: 422,
    code: 'validation_failed',
    detail: 'domain must be …',
    errors,
    requestId: 'req_1',
    problem,
  });
});

test.each([
  ['another server', (response: ServerResponse) => void response.writeHead(404).end('<p>Not here</p>'), 404],
  ['a page', (response: ServerResponse) => void response.writeHead(200).end('<p>Welcome</p>'), null],
])('names the answer of %s as unexpected', async (_server, answer, status) => {
  const { error } = await failure(answer);
  expect(error).toMatchObject({ code: 'unexpected_answer', status, requestId: null, problem: null });
  expect(error.message).toContain('HTTP API of sendoff');
});

test('throws unreachable when no server listens, and names the address', async () => {
  const port = await freePort();
  const client = createSendoffClient({ baseUrl: `http://127.0.0.1:${port}`, token: 'token' });
  await expect(client.GET('/livez')).rejects.toMatchObject({ code: 'unreachable', status: null });
  await expect(client.GET('/livez')).rejects.toThrow(
    `unreachable: no answer from http://127.0.0.1:${port} (connect ECONNREFUSED 127.0.0.1:${port})`,
  );
});

test.each([
  ['no headers', () => undefined],
  ['half a body', (response: ServerResponse) => void response.writeHead(200).write('{"tenant')],
])('times out after %s, without a retry', async (_what, answer) => {
  const { error, attempts } = await failure(answer, { timeoutMs: 1_000 });
  expect(error).toMatchObject({ code: 'timed_out', status: null });
  expect(attempts).toBe(1);
});

test('repeats an idempotent call as Retry-After asks, with its body', async () => {
  const { baseUrl, requests } = await startScriptedServer(busy('0'), busy('0'), ok);
  const body = {
    domain: 'acme.test',
    fromAddress: 'hello@acme.test',
    firstEmail: { recipient: 'ada@inbox.test', subject: 'Welcome', body: 'It works.' },
  };
  const client = createSendoffClient({ baseUrl, token: 'token' });
  const { data } = await client.PUT('/onboardings/{tenantId}', { ...acme, body });
  expect(data.tenantId).toBe('acme');
  expect(requests.map(({ headers }) => Number(headers['content-length']))).toEqual(
    Array<number>(3).fill(JSON.stringify(body).length),
  );
});

test('stops after two retries, and retries neither without Retry-After, nor after a long pause, nor a POST', async () => {
  expect(await failure(busy('0'))).toMatchObject({ error: { code: 'unavailable', status: 503 }, attempts: 3 });
  expect((await failure(json(503, { code: 'unavailable', detail: 'Try again' }))).attempts).toBe(1);
  expect((await failure(busy('60'))).attempts).toBe(1);
  const { baseUrl, requests } = await startScriptedServer(busy('0'));
  const client = createSendoffClient({ baseUrl, token: 'token' });
  const cancellation = { ...acme, body: { by: 'ada' } };
  await expect(client.POST('/onboardings/{tenantId}/cancel', cancellation)).rejects.toMatchObject({
    code: 'unavailable',
  });
  expect(requests).toHaveLength(1);
  const keyed = { ...cancellation, headers: { 'idempotency-key': 'k' } };
  await expect(client.POST('/onboardings/{tenantId}/cancel', keyed)).rejects.toMatchObject({ code: 'unavailable' });
  expect(requests).toHaveLength(4);
});

test("throws the reason of the caller's signal, also during the pause before a retry", async () => {
  const stop = new AbortController();
  const { baseUrl, requests } = await startScriptedServer((response) => {
    busy('5')(response);
    response.once('close', () =>
      setTimeout(() => {
        stop.abort(new Error('stopped'));
      }, 50),
    );
  });
  const client = createSendoffClient({ baseUrl, token: 'token' });
  await expect(client.GET('/livez', { signal: stop.signal })).rejects.toThrow('stopped');
  await expect(client.GET('/livez', { signal: stop.signal })).rejects.toThrow('stopped');
  expect(requests).toHaveLength(1);
});
