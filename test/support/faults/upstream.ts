import type { IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { type LoopbackServer, serveOnLoopback } from '../../../src/dev/serve-on-loopback.ts';

export interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Upstream extends LoopbackServer {
  readonly received: readonly Received[];
}

/** @param answer returns the response to a request: a status and a body, sent as JSON unless it is a string */
export async function startUpstream(
  answer: (request: Received) => { status: number; headers?: Record<string, string | string[]>; body?: unknown },
): Promise<Upstream> {
  const received: Received[] = [];
  const { url, stop } = await serveOnLoopback((request, response) => {
    void text(request).then((body) => {
      const { method = '', url = '', headers } = request;
      const seen = { method, url, headers, body };
      received.push(seen);
      const { status, headers: own = { 'content-type': 'application/json' }, body: content } = answer(seen);
      response.writeHead(status, own);
      response.end(typeof content === 'string' || content === undefined ? content : JSON.stringify(content));
    });
  });
  return { url, received, stop };
}
