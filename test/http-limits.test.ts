import type { FastifyInstance } from 'fastify';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { buildHttpApp } from '../src/http/app.ts';
import type { Onboardings } from '../src/http/onboardings.ts';
import { startTestApi } from './email-service/support/test-api.ts';
import { memorySecretStore } from './support/scripted-provider.ts';

const limits = vi.hoisted(() => ({
  requestTimeout: 300,
  http: { requestTimeout: 300, headersTimeout: 200, connectionsCheckingInterval: 20 },
}));
vi.mock('../src/http-limits.ts', async (original) => {
  const { httpLimits } = await original<{ httpLimits: object }>();
  return { httpLimits: limits, inProduction: httpLimits };
});

const end: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of end.splice(0)) await close();
});

const apps: Readonly<Record<string, () => Promise<Pick<FastifyInstance, 'listen' | 'server'>>>> = {
  'the orchestrator': async () => {
    const app = buildHttpApp({
      onboardings: {} as Onboardings,
      secrets: memorySecretStore(),
      apiToken: 'token',
      findSetupGaps: async () => [],
      checkDatabase: async () => true,
    });
    end.push(() => app.close());
    return app;
  },
  'the email service': async () => {
    const api = await startTestApi();
    end.push(() => api.end());
    return api.app;
  },
};

/** Sends one byte at a time, for as long as the server takes it. @returns the status of its answer */
async function trickle(app: Pick<FastifyInstance, 'listen' | 'server'>, text: string): Promise<string> {
  await app.listen({ host: '127.0.0.1', port: 0 });
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
  let answer = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => (answer += chunk));
  socket.on('error', () => undefined);
  let at = 0;
  const timer = setInterval(() => {
    socket.write(text[at] ?? 'x');
    at += 1;
  }, 10);
  await once(socket, 'close');
  clearInterval(timer);
  return answer.split(' ')[1] ?? '';
}

describe.each(Object.entries(apps))('%s', (_name, build) => {
  test.each([
    ['headers', 'GET /livez HTTP/1.1\r\nhost: a\r\nx: '],
    ['a body', 'PUT /onboardings/acme HTTP/1.1\r\nhost: a\r\ncontent-length: 9000\r\n\r\n'],
  ])('ends a connection that trickles %s', async (_part, text) => {
    expect(await trickle(await build(), text)).toBe('408');
  });
});

test('a request has seconds, not minutes', async () => {
  const { inProduction } = (await import('../src/http-limits.ts')) as unknown as { inProduction: typeof limits };
  const { requestTimeout, http } = inProduction;
  expect(http.requestTimeout).toBe(requestTimeout);
  expect(requestTimeout + http.connectionsCheckingInterval).toBeLessThan(60_000);
  expect(http.headersTimeout).toBeLessThanOrEqual(requestTimeout);
});
