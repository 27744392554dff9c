import { afterEach, beforeEach, expect, test } from 'vitest';
import type { LoopbackServer } from '../../../src/dev/serve-on-loopback.ts';
import { startSenderRefusal } from '../../../src/dev/world/sender-refusal.ts';
import { type AnswerServer, sendJson, startAnswerServer } from '../../support/answer-server.ts';

let upstream: AnswerServer;
let refusal: LoopbackServer;
beforeEach(async () => {
  upstream = await startAnswerServer(({ path }, response) => sendJson(response, 201, { path }));
  refusal = await startSenderRefusal(upstream.baseUrl);
});
afterEach(async () => {
  await refusal.stop();
  await upstream.close();
});

test('refuses every sender as the email service refuses that of an unverified domain', async () => {
  const answer = await fetch(`${refusal.url}/senders`, { method: 'POST', body: '{}' });
  expect(answer.status).toBe(422);
  expect(answer.headers.get('content-type')).toBe('application/problem+json');
  expect(await answer.json()).toMatchObject({ code: 'domain_not_verified', status: 422 });
  expect(upstream.requests).toEqual([]);
});

test('forwards every other request with its headers and body, and returns the answer', async () => {
  const headers = { authorization: 'Bearer key', 'content-type': 'application/json' };
  const answer = await fetch(`${refusal.url}/domains?limit=1`, { method: 'POST', body: '{"a":1}', headers });
  expect(answer.status).toBe(201);
  expect(await answer.json()).toEqual({ path: '/domains?limit=1' });
  expect(upstream.requests).toMatchObject([{ method: 'POST', path: '/domains?limit=1', headers, body: '{"a":1}' }]);
  expect((await fetch(`${refusal.url}/senders`)).status).toBe(201);
});
