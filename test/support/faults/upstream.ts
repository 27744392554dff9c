import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';

export interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Upstream {
  readonly url: string;
  readonly received: readonly Received[];
  stop(): Promise<void>;
}

/** @param answer returns the response to a request: a status and a body, sent as JSON unless it is a string */
export async function startUpstream(
  answer: (request: Received) => { status: number; headers?: Record<string, string | string[]>; body?: unknown },
): Promise<Upstream> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const { method = '', url = '', headers } = request;
      const seen = { method, url, headers, body };
      received.push(seen);
      const { status, headers: own = { 'content-type': 'application/json' }, body: content } = answer(seen);
      response.writeHead(status, own);
      response.end(typeof content === 'string' || content === undefined ? content : JSON.stringify(content));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('not listening on a port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    received,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
