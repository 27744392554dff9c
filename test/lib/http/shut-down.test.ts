import { once } from 'node:events';
import { Agent, request } from 'undici';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createHttpApp, type HttpApp } from '../../../src/lib/http/create-http-app.ts';
import { shutDown } from '../../../src/lib/http/shut-down.ts';
import { buildHttpApp } from '../../../src/http/app.ts';
import { startTestApi } from '../../email-service/support/test-api.ts';
import { httpDependencies } from '../../support/http-dependencies.ts';

let app: HttpApp;
let url: string;
let begun: Promise<unknown>;
let finish: () => void;
let agent: Agent;
beforeEach(async () => {
  agent = new Agent({ keepAliveTimeout: 60_000 });
  app = createHttpApp({ logger: undefined, bodyLimit: 1_024, realm: 'test', patternMeanings: {} });
  app.get('/quick', async () => 'quick');
  const finished = new Promise<void>((resolve) => (finish = resolve));
  begun = once(app.server, 'request');
  app.get('/slow', async () => {
    await finished;
    return 'slow';
  });
  url = await app.listen({ host: '127.0.0.1', port: 0 });
});
afterEach(async () => {
  await agent.close();
  await app.close();
});

const get = async (path: string): Promise<{ text: string; connection: unknown }> => {
  const { body, headers } = await request(`${url}${path}`, { dispatcher: agent });
  return { text: await body.text(), connection: headers['connection'] };
};

test('answers a request that is under way, and hangs up after it', async () => {
  const slow = get('/slow');
  await begun;
  const closed = shutDown(app, 0);
  await expect
    .poll(() => get('/quick').catch((error: unknown) => (error as { code?: unknown }).code))
    .toBe('ECONNREFUSED');
  finish();
  expect(await slow).toEqual({ text: 'slow', connection: 'close' });
  await closed;
});

test('answers new requests during the delay, also on kept connections, and hangs up after each', async () => {
  expect(await get('/quick')).toEqual({ text: 'quick', connection: 'keep-alive' });
  let isClosed = false;
  const closed = shutDown(app, 2_000).then(() => (isClosed = true));
  for (let count = 0; count < 3; count += 1) {
    expect(await get('/quick')).toEqual({ text: 'quick', connection: 'close' });
  }
  expect(isClosed).toBe(false);
  await closed;
  await expect(get('/quick')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});

test('both programs report on /readyz that they are stopping, and stay alive', async () => {
  const orchestrator = buildHttpApp(httpDependencies({ apiTokens: [{ name: 'backend', token: 'token' }] }));
  const emailService = await startTestApi();
  for (const each of [orchestrator, emailService.app]) {
    expect((await each.inject('/readyz')).statusCode).toBe(200);
    const closed = shutDown(each, 200);
    const answer = await each.inject('/readyz');
    expect([answer.statusCode, answer.body]).toEqual([503, expect.stringContaining('stopping')]);
    expect((await each.inject('/livez')).statusCode).toBe(200);
    await closed;
  }
  await emailService.end();
});
