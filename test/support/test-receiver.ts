import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { createWebhookClient, type WebhookClient } from '../../src/lib/webhooks/webhook-client.ts';

export interface TestReceiver {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  readonly port: number;
  readonly posts: readonly { path: string; headers: IncomingHttpHeaders; body: string }[];
  /** The number of opened connections, including those without a request. */
  readonly connections: () => number;
  readonly stop: () => Promise<void>;
}

/** Posts to receivers on loopback. */
export const loopbackWebhookClient = (timeoutMs?: number): WebhookClient =>
  createWebhookClient({
    ...{ allowHttp: true, mayConnectTo: () => true, now: () => new Date() },
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });

/** A real HTTP server that stores what is posted to it. @param answer called after the body was read */
export async function startTestReceiver(
  answer: (response: ServerResponse) => void,
  { host = '127.0.0.1', port = 0 } = {},
): Promise<TestReceiver> {
  const posts: { path: string; headers: IncomingHttpHeaders; body: string }[] = [];
  let connections = 0;
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      posts.push({ path: request.url ?? '', headers: request.headers, body });
      answer(response);
    });
  });
  server.on('connection', () => {
    connections += 1;
  });
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('not listening on a port');
  return {
    url: `http://127.0.0.1:${String(address.port)}`,
    port: address.port,
    posts,
    connections: () => connections,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
