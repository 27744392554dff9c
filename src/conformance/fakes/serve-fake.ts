import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { serveOnLoopback } from '../../dev/serve-on-loopback.ts';

export interface Reply {
  readonly status: number;
  /** JSON; or the text itself. */
  readonly body: object | string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface FakeRequest {
  readonly url: URL;
  readonly headers: IncomingMessage['headers'];
  readonly method: string;
  /** Reads the content, UTF-8. */
  readonly content: () => Promise<string>;
}

/** Serves a simulated provider. @param answer undefined: the connection breaks instead of the answer */
export async function serveFake(
  answer: (request: FakeRequest) => Promise<Reply | undefined>,
): Promise<{ baseUrl: string; close: () => Promise<void> }> {
  const { url, stop } = await serveOnLoopback((incoming, response) => {
    void (async () => {
      const { headers, method = '' } = incoming;
      const request = { url: new URL(incoming.url ?? '/', 'http://fake'), headers, method };
      const reply = await answer({ ...request, content: () => text(incoming) });
      if (reply === undefined) incoming.socket.destroy();
      else
        response
          .writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers })
          .end(typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body));
    })();
  });
  return { baseUrl: url, close: stop };
}
