import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { CallEffect, CallFault } from './fault.ts';
import { badGateway, problemAnswer, tooManyRequests } from './scripted-answers.ts';
import { type FaultProxy, startFaultProxy } from './start-fault-proxy.ts';
import { type AnswerServer, jsonAnswer, sendJson, startAnswerServer } from '../answer-server.ts';
import { gate } from '../held-calls.ts';

let upstream: AnswerServer;
let proxy: FaultProxy;

beforeEach(async () => {
  upstream = await startAnswerServer(({ method, path, body }, response) => {
    if (path === '/api-keys') return sendJson(response, 201, { id: 'key_1', token: `token-of-${body}` });
    if (path === '/text') return response.writeHead(200, { 'content-type': 'text/plain' }).end('plain');
    if (path === '/refusal') return sendJson(response, 404, { code: 'not_found' });
    if (path === '/cookies') return response.writeHead(200, { 'set-cookie': ['a=1', 'b=2'] }).end();
    if (method === 'DELETE') return response.writeHead(204).end();
    return sendJson(response, 201, { method, path }, { 'x-request-id': 'req_1' });
  });
  proxy = await startFaultProxy({ target: upstream.baseUrl });
});

afterEach(async () => {
  await proxy.stop();
  await upstream.close();
});

const post = (path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(proxy.url + path, { method: 'POST', body: '{"name":"acme.test"}', ...init });
const fault = (effect: CallEffect, changes: Partial<CallFault> = {}): CallFault => ({
  on: 'call',
  method: 'POST',
  path: '/domains',
  effect,
  ...changes,
});

describe('without a fault', () => {
  test('method, path, query, headers and body pass unchanged, and so does the answer', async () => {
    const answer = await post('/domains?limit=2', {
      headers: { authorization: 'Bearer secret', 'idempotency-key': 'k1', 'content-type': 'application/json' },
    });
    expect(answer.status).toBe(201);
    expect(answer.headers.get('x-request-id')).toBe('req_1');
    expect(await answer.json()).toEqual({ method: 'POST', path: '/domains?limit=2' });
    expect(upstream.requests).toHaveLength(1);
    expect(upstream.requests[0]).toMatchObject({
      body: '{"name":"acme.test"}',
      headers: {
        host: new URL(upstream.baseUrl).host,
        authorization: 'Bearer secret',
        'idempotency-key': 'k1',
        'content-type': 'application/json',
      },
    });
  });

  test('an answer without a body stays without one', async () => {
    const answer = await fetch(`${proxy.url}/domains/dom_1`, { method: 'DELETE' });
    expect(answer.status).toBe(204);
    expect(answer.headers.get('content-length')).toBeNull();
    expect((await fetch(`${proxy.url}/text`, { method: 'HEAD' })).status).toBe(200);
  });

  test('repeated headers of an answer stay apart', async () => {
    expect((await fetch(`${proxy.url}/cookies`)).headers.getSetCookie()).toEqual(['a=1', 'b=2']);
  });

  test('a call is recorded without its other headers and its body', async () => {
    await post('/domains?limit=2', { headers: { authorization: 'Bearer secret', 'idempotency-key': 'k1' } });
    expect(proxy.calls()).toEqual([
      { method: 'POST', path: '/domains', account: undefined, idempotencyKey: 'k1', fault: undefined, status: 201 },
    ]);
    expect(JSON.stringify(proxy.calls())).not.toContain('secret');
  });

  test('an email service that is down is a broken connection, not an answer of the proxy', async () => {
    await upstream.close();
    await expect(post('/domains')).rejects.toThrow('fetch failed');
    expect(proxy.calls()[0]?.status).toBeNull();
    upstream = await startAnswerServer(jsonAnswer(200));
  });
});

describe('a call that meets a fault', () => {
  test('is answered as scripted, and the email service never receives it', async () => {
    proxy.add(fault({ kind: 'answer', answer: problemAnswer('domain_not_verified') }, { path: '/senders' }));
    const answer = await post('/senders');
    expect(answer.status).toBe(422);
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(await answer.json()).toMatchObject({ code: 'domain_not_verified', status: 422, request_id: 'req_scripted' });
    expect(upstream.requests).toEqual([]);
    expect(proxy.calls()).toMatchObject([{ fault: 'answer', status: 422 }]);
  });

  test('may get Retry-After, or a gateway error without problem details', async () => {
    proxy.add(fault({ kind: 'answer', answer: tooManyRequests(7) }));
    proxy.add(fault({ kind: 'answer', answer: badGateway }));
    const limited = await post('/domains');
    expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '7']);
    const broken = await post('/domains');
    expect([broken.status, broken.headers.get('content-type')]).toEqual([502, 'text/html']);
    expect((await post('/domains')).status).toBe(201);
  });

  test('is reset before the email service receives it', async () => {
    proxy.add(fault({ kind: 'reset', worked: false }));
    await expect(post('/domains')).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } });
    expect(upstream.requests).toEqual([]);
  });

  test('loses its answer after the work was done', async () => {
    proxy.add(fault({ kind: 'reset', worked: true }));
    await expect(post('/domains')).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } });
    expect(upstream.requests).toHaveLength(1);
    expect(proxy.calls()).toMatchObject([{ fault: 'reset', status: null }]);
  });

  test.each([
    ['worked on or not', true, 1],
    ['not even heard of', false, 0],
  ])('never gets an answer, %s', async (_name, worked, heard) => {
    proxy.add(fault({ kind: 'silence', worked }));
    const giveUp = new AbortController();
    let answered = false;
    const call = post('/domains', { signal: giveUp.signal }).then(() => {
      answered = true;
    });
    call.catch(() => undefined);
    await vi.waitUntil(() => proxy.calls().length === 1 && upstream.requests.length === heard, { timeout: 30_000 });
    // A second call goes through meanwhile: by then an answer to the first would have come.
    expect((await post('/domains')).status).toBe(201);
    expect(answered).toBe(false);
    giveUp.abort();
    await expect(call).rejects.toThrow('aborted');
  });

  test.each([
    ['request', 0],
    ['answer', 1],
  ] as const)('has its %s held back until it is released', async (what, heardMeanwhile) => {
    const { open: tell, opened: promise } = gate();
    proxy.add(fault({ kind: 'hold', what, until: { kind: 'promise', promise } }));
    const call = post('/domains');
    await vi.waitUntil(() => proxy.calls().length === 1 && upstream.requests.length === heardMeanwhile, {
      timeout: 30_000,
    });
    tell();
    expect((await call).status).toBe(201);
    expect(upstream.requests).toHaveLength(1);
  });

  test('is held back for a time', async () => {
    proxy.add(fault({ kind: 'hold', what: 'request', until: { kind: 'time', ms: 50 } }));
    const begunAt = performance.now();
    expect((await post('/domains')).status).toBe(201);
    expect(performance.now() - begunAt).toBeGreaterThanOrEqual(45);
  });

  test('gets an altered answer, whose length is right', async () => {
    const alter = (content: object): Record<string, unknown> => ({ ...content, status: 'pending', note: 'größer' });
    proxy.add(fault({ kind: 'alter', alter }));
    expect(await (await post('/domains')).json()).toEqual({
      method: 'POST',
      path: '/domains',
      status: 'pending',
      note: 'größer',
    });
  });

  test.each([
    ['/refusal', 404, '{"code":"not_found"}'],
    ['/text', 200, 'plain'],
  ])('is not altered where there is nothing to alter: %s', async (path, status, body) => {
    proxy.add(fault({ kind: 'alter', alter: () => ({ altered: true }) }, { path }));
    const answer = await post(path);
    expect([answer.status, await answer.text()]).toEqual([status, body]);
  });
});

describe('the account of a call', () => {
  const withToken = (token: string): RequestInit => ({ headers: { authorization: `Bearer ${token}` } });
  const keyFor = (account: string): string => JSON.stringify({ account });

  test('is the account that POST /api-keys names, and later the account of the token', async () => {
    const { token } = (await (await post('/api-keys', { body: keyFor('acme') })).json()) as { token: string };
    await post('/domains', withToken(token));
    await post('/domains', withToken('unknown'));
    expect(proxy.calls().map(({ account }) => account)).toEqual(['acme', 'acme', undefined]);
    expect(JSON.stringify(proxy.calls())).not.toContain(token);
  });

  test('is known even if that response was lost', async () => {
    proxy.add(fault({ kind: 'reset', worked: true }, { path: '/api-keys' }));
    await expect(post('/api-keys', { body: keyFor('acme') })).rejects.toThrow();
    await post('/domains', withToken(`token-of-${keyFor('acme')}`));
    expect(proxy.calls().map(({ account }) => account)).toEqual(['acme', 'acme']);
  });

  test('limits a fault to the calls of that account', async () => {
    proxy.add(fault({ kind: 'answer', answer: badGateway }, { path: '/api-keys', account: 'globex' }));
    expect((await post('/api-keys', { body: keyFor('acme') })).status).toBe(201);
    expect((await post('/api-keys', { body: keyFor('globex') })).status).toBe(502);
  });
});

describe('stop', () => {
  test('closes connections that never get a response', async () => {
    proxy.add(fault({ kind: 'silence', worked: false }));
    const call = post('/domains');
    call.catch(() => undefined);
    await vi.waitUntil(() => proxy.calls().length === 1, { timeout: 30_000 });
    await proxy.stop();
    await expect(call).rejects.toThrow('fetch failed');
    proxy = await startFaultProxy({ target: upstream.baseUrl });
  });

  test('reports a function of the script that threw', async () => {
    const alter = (): never => {
      throw new Error('a mistake in the script');
    };
    proxy.add(fault({ kind: 'alter', alter }));
    await expect(post('/domains')).rejects.toThrow('fetch failed');
    await expect(proxy.stop()).rejects.toMatchObject({ errors: [{ message: 'a mistake in the script' }] });
    proxy = await startFaultProxy({ target: upstream.baseUrl });
  });
});
