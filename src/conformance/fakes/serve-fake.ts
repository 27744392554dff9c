import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { serveOnLoopback } from '../../dev/serve-on-loopback.ts';

export interface Reply {
  readonly status: number;
  /** JSON; or the text itself. */
  readonly body: object | string;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Body = Readonly<Record<string, unknown>>;

export interface FakeRequest {
  readonly url: URL;
  readonly headers: IncomingMessage['headers'];
  /** UTF-8. */
  readonly content: string;
}

/** The requests whose names match, and what answers them. */
export interface Route<At> {
  readonly request: RegExp;
  readonly handle: (at: At) => Reply;
}

export const on = <At>(request: RegExp, handle: (at: At) => Reply): Route<At> => ({ request, handle });

export const ok = (body: object): Reply => ({ status: 200, body });

export const readBody = (content: string): Body => (content === '' ? {} : (JSON.parse(content) as Body));

/** Removes the one with this value of the key. Whether there was one. */
export function removed<Key extends string>(
  list: Readonly<Record<Key, string | number>>[],
  key: Key,
  value: string,
): boolean {
  const at = list.findIndex((one) => String(one[key]) === value);
  if (at >= 0) list.splice(at, 1);
  return at >= 0;
}

/** What a test changes at every simulated provider. A request is named by its method and path, such as `POST /domains`. */
export interface FaultRules {
  /** Called before a request has its effect: its answer replaces it, and until it resolves there is none. */
  before: (request: string) => Reply | undefined | Promise<undefined>;
  /** Whether the answer is lost after the request had its effect. */
  isLost: (request: string) => boolean;
}

export const noFaults: FaultRules = { before: () => undefined, isLost: () => false };

/**
 * Serves a simulated provider. What it cannot read is answered with 400, and a fault of the simulation with 500.
 *
 * @param prefix left out of the names of requests
 */
export async function serveFake(
  rules: FaultRules,
  answer: (request: string, details: FakeRequest) => Reply,
  prefix = '',
) {
  const requests: { readonly request: string; readonly at: number }[] = [];

  async function replyTo(request: string, url: URL, incoming: IncomingMessage): Promise<Reply> {
    try {
      const content = await text(incoming);
      return (await rules.before(request)) ?? answer(request, { url, headers: incoming.headers, content });
    } catch (error) {
      const isUnreadable = error instanceof SyntaxError || error instanceof URIError;
      return { status: isUnreadable ? 400 : 500, body: { message: String(error) } };
    }
  }

  const { url: baseUrl, stop: close } = await serveOnLoopback((incoming, response) => {
    void (async () => {
      const { method = '' } = incoming;
      const url = new URL(incoming.url ?? '/', 'http://fake');
      const request = `${method} ${url.pathname.startsWith(prefix) ? url.pathname.slice(prefix.length) : url.pathname}`;
      requests.push({ request, at: performance.now() });
      const reply = await replyTo(request, url, incoming);
      if (rules.isLost(request)) incoming.socket.destroy();
      else
        response
          .writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers })
          .end(typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body));
    })().catch(() => incoming.socket.destroy());
  });
  return {
    ...{ baseUrl, close, requests },
    /** The number of requests whose names match. */
    count: (request: RegExp): number => requests.filter((one) => request.test(one.request)).length,
  };
}
