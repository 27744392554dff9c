// Between a caller and a provider: it sees each exchange, and can lose an answer after the provider has acted, put another answer in its
// place, or hold the request for ever, as a Worker sees that is killed there.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { Agent, request } from 'undici';
import { type LoopbackServer, serveOnLoopback } from './serve-on-loopback.ts';

/** One request and the provider's answer, as they passed. */
export interface RelayedExchange {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly requestHeaders: IncomingMessage['headers'];
  readonly requestBody: string;
  /** Undefined until the provider has answered. */
  answer?: RelayReply;
}

export interface RelayReply {
  readonly status: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
}

/** An answer, a connection that breaks (`cut`: in the middle of the answer), or nothing (`silence`). */
export type RelayOutcome = RelayReply | 'reset' | 'cut' | 'silence';

/** What happens to a request. `before`: the provider does not get it; `after`: the provider has acted. */
export interface RelayFault {
  readonly when: 'before' | 'after';
  readonly answer: RelayOutcome;
}

export interface Relay extends LoopbackServer {
  /** Oldest first. */
  readonly exchanges: readonly RelayedExchange[];
  /** Decides for each request, before it passes; the first is 0. If it throws, the connection breaks. */
  fault: (exchange: RelayedExchange, number: number) => RelayFault | undefined | Promise<RelayFault | undefined>;
  /** Asks the provider, or another server. `reset`: it gave no answer. */
  readonly forward: (exchange: RelayedExchange, origin?: string) => Promise<RelayReply | 'reset'>;
}

/** Of one connection alone (RFC 9110 section 7.6.1), or set by the client. */
const HOP_HEADERS = [
  ...['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade'],
  ...['content-length', 'host', 'expect'],
];
const passed = (headers: IncomingMessage['headers']) =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || HOP_HEADERS.includes(name) ? [] : [[name, value]],
    ),
  );

/** @param target without a slash at its end */
export async function startRelay(target: string): Promise<Relay> {
  const dispatcher = new Agent();
  const exchanges: RelayedExchange[] = [];
  const relay: Omit<Relay, 'stop' | 'url'> = {
    exchanges,
    fault: () => undefined,
    forward: async ({ method, path, requestHeaders, requestBody }, origin = target) => {
      try {
        const answer = await request(origin + path, {
          ...{ dispatcher, method, headers: passed(requestHeaders) },
          ...(requestBody !== '' && { body: requestBody }),
        });
        return { status: answer.statusCode, body: await answer.body.text(), headers: passed(answer.headers) };
      } catch {
        return 'reset';
      }
    },
  };

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const requestBody = await text(incoming);
    const { method = '', url: path = '/', headers: requestHeaders } = incoming;
    const exchange: RelayedExchange = { method, path, requestHeaders, requestBody };
    const fault = await relay.fault(exchange, exchanges.push(exchange) - 1);
    const answer = fault?.when === 'before' ? undefined : await relay.forward(exchange);
    if (typeof answer === 'object') exchange.answer = answer;
    // Without its answer, it may not have acted.
    const given = answer === 'reset' ? answer : (fault?.answer ?? answer);
    if (given === 'silence') return;
    if (given === 'reset' || given === undefined) return void incoming.socket.resetAndDestroy();
    const { status, body, headers } = given === 'cut' ? { ...exchange.answer, status: 200, body: '{"id":' } : given;
    response.statusCode = status;
    response.setHeaders(new Map(Object.entries(headers ?? {})));
    if (given === 'cut') response.write(body, () => incoming.socket.destroy());
    else response.end(body);
  }

  const { url, stop } = await serveOnLoopback((incoming, response) => {
    serve(incoming, response).catch(() => incoming.socket.destroy());
  });
  return Object.assign(relay, {
    url,
    async stop() {
      await stop();
      await dispatcher.destroy();
    },
  });
}
