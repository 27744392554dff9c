import { NativeConnection } from '@temporalio/worker';
import { createServer, type Server } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { freePort } from '../../../src/dev/temporal/free-port.ts';
import { connectClient } from '../../../src/lib/temporal/connect-client.ts';
import { listenOnLoopback } from '../../support/listen-on-loopback.ts';
import { sharedDevServer, type TestServer } from '../../support/temporal.ts';

const variables = ['grpc_proxy', 'https_proxy', 'http_proxy', 'HTTPS_PROXY', 'HTTP_PROXY', 'all_proxy'];

let temporal: TestServer;
let badGateway: Server;
let gatewayPort: number;
let refusing: string;
beforeAll(async () => {
  temporal = await sharedDevServer();
  badGateway = createServer().on('connect', (_request, socket) => {
    socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
  });
  gatewayPort = await listenOnLoopback(badGateway);
  refusing = `127.0.0.1:${String(await freePort())}`;
});
afterAll(async () => {
  await new Promise((resolve) => badGateway.close(resolve));
  await temporal.stop();
});
afterEach(() => vi.unstubAllEnvs());

const proxies = [
  ['refuses connections', () => refusing],
  ['answers 502', () => `127.0.0.1:${gatewayPort}`],
] as const;

describe.each(proxies)('with a proxy that %s', (_what, proxy) => {
  test.each(variables)('a server on this machine is reached directly, although %s is set', async (variable) => {
    vi.stubEnv('no_proxy', '');
    vi.stubEnv(variable, `http://${proxy()}`);
    const port = temporal.address.split(':')[1] ?? '';
    for (const address of [temporal.address, `localhost:${port}`]) {
      const connection = await connectClient({ address, connectTimeout: 5_000 });
      await connection.workflowService.describeNamespace({ namespace: 'default' });
      await connection.close();
      const native = await NativeConnection.connect({ address });
      await native.workflowService.describeNamespace({ namespace: 'default' });
      await native.close();
    }
  });

  test('a server elsewhere is reported with the variable and the host of the proxy, without its password', async () => {
    vi.stubEnv('https_proxy', `http://user:hunter2@${proxy()}`);
    const connecting = connectClient({ address: '192.0.2.1:7233', connectTimeout: 300 });
    const message = await connecting.catch((error: unknown) => (error as Error).message);
    expect(message).toMatch(/^no Temporal server answers at 192\.0\.2\.1:7233 \(.*\); https_proxy names the proxy /);
    expect(message).toContain(proxy());
    expect(message).not.toContain('hunter2');
  });
});
