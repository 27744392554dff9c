import type { FastifyInstance } from 'fastify';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { buildHttpApp } from '../../../src/http/app.ts';
import { OPERATOR_TOKEN, startTestApi } from '../../email-service/support/test-api.ts';
import { httpDependencies } from '../../support/http-dependencies.ts';

const limits = vi.hoisted(() => ({
  requestTimeout: 1_500,
  http: { requestTimeout: 1_500, headersTimeout: 200, connectionsCheckingInterval: 20 },
}));
vi.mock('../../../src/lib/http/http-limits.ts', async (original) => {
  const { httpLimits } = await original<{ httpLimits: object }>();
  return { httpLimits: limits, inProduction: httpLimits };
});

const end: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of end.splice(0).reverse()) await close();
});

interface Target {
  readonly app: Pick<FastifyInstance, 'listen' | 'server'>;
  /** The lines of a request whose body is read: one that is refused before would be answered without it. */
  readonly lines: readonly string[];
}

const apps: Readonly<Record<string, () => Promise<Target>>> = {
  'the orchestrator': async () => {
    const app = buildHttpApp(httpDependencies({ apiTokens: [{ name: 'backend', token: 'token' }] }));
    end.push(() => app.close());
    return { app, lines: ['PUT /onboardings/acme HTTP/1.1', 'authorization: Bearer token'] };
  },
  'the email service': async () => {
    const api = await startTestApi();
    end.push(() => api.end());
    return { app: api.app, lines: ['POST /api-keys HTTP/1.1', `authorization: Bearer ${OPERATOR_TOKEN}`] };
  },
};

/** Sends the beginning at once, and what follows one byte at a time, for as long as the server takes it. */
async function trickle({ app }: Target, beginning: string): Promise<{ status: string; afterMs: number }> {
  await app.listen({ host: '127.0.0.1', port: 0 });
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
  let answer = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => (answer += chunk));
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  const startedAt = performance.now();
  socket.write(beginning);
  const timer = setInterval(() => {
    socket.write('x');
  }, 10);
  end.push(async () => {
    clearInterval(timer);
    socket.destroy();
  });
  await once(socket, 'close');
  return { status: answer.split(' ')[1] ?? '', afterMs: performance.now() - startedAt };
}

const CRLF = '\r\n';

describe.each(Object.entries(apps))('%s', (_name, build) => {
  test('ends a connection that trickles headers', async () => {
    const target = await build();
    const { status, afterMs } = await trickle(target, ['GET /livez HTTP/1.1', 'host: a', 'x: '].join(CRLF));
    expect(status).toBe('408');
    expect(afterMs).toBeLessThan(limits.requestTimeout);
  });

  test('ends a connection that trickles a body', async () => {
    const target = await build();
    const lines = [...target.lines, 'host: a', 'content-type: application/json', 'content-length: 9000', '', ''];
    const { status, afterMs } = await trickle(target, lines.join(CRLF));
    expect(status).toBe('408');
    expect(afterMs).toBeGreaterThanOrEqual(limits.requestTimeout);
  });
});

test('a request has seconds, not minutes', async () => {
  const { inProduction } = (await import('../../../src/lib/http/http-limits.ts')) as unknown as {
    inProduction: typeof limits;
  };
  const { requestTimeout, http } = inProduction;
  expect(http.requestTimeout).toBe(requestTimeout);
  expect(requestTimeout + http.connectionsCheckingInterval).toBeLessThan(60_000);
  expect(http.headersTimeout).toBeLessThanOrEqual(requestTimeout);
});
