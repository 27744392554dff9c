// Between the adapter and the provider: it sees each exchange, and can lose an answer after the provider has acted, put another answer in
// its place, or hold the request for ever, as a Worker sees that is killed there.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { Agent, request } from 'undici';
import { serveOnLoopback } from '../dev/serve-on-loopback.ts';

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
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * What happens to a request. `before`: the provider does not get it; `after`: the provider has acted. Then the adapter gets this answer, a
 * connection that breaks (`cut`: in the middle of the answer), or nothing (`silence`).
 */
export interface RelayFault {
  readonly when: 'before' | 'after';
  readonly answer: RelayReply | 'reset' | 'cut' | 'silence';
}

export interface Relay {
  readonly url: string;
  /** Oldest first. */
  readonly exchanges: readonly RelayedExchange[];
  /** Decides for each request, before it passes; the first is 0. */
  fault: (exchange: RelayedExchange, number: number) => RelayFault | undefined | Promise<RelayFault | undefined>;
  stop(): Promise<void>;
}

/** Of one connection alone (RFC 9110 section 7.6.1), or set by the client. */
const HOP_HEADERS = ['connection', 'keep-alive', 'transfer-encoding', 'content-length', 'host', 'expect'];

/** @param target without a slash at its end */
export async function startRelay(target: string): Promise<Relay> {
  const agent = new Agent();
  const exchanges: RelayedExchange[] = [];

  async function forward({ method, path, requestHeaders, requestBody }: RelayedExchange): Promise<RelayReply> {
    const headers = Object.fromEntries(Object.entries(requestHeaders).filter(([name]) => !HOP_HEADERS.includes(name)));
    const answer = await request(target + path, {
      dispatcher: agent,
      method: method as 'GET',
      headers,
      ...(requestBody !== '' && { body: requestBody }),
    });
    const body = await answer.body.text();
    const passed = Object.entries(answer.headers).flatMap(([name, value]) =>
      value === undefined || HOP_HEADERS.includes(name) ? [] : [[name, String(value)]],
    );
    return { status: answer.statusCode, body, headers: Object.fromEntries(passed) as Record<string, string> };
  }

  const relay: Omit<Relay, 'stop' | 'url'> = { exchanges, fault: () => undefined };

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const requestBody = (await buffer(incoming)).toString();
    const { method = '', url: path = '/', headers: requestHeaders } = incoming;
    const exchange: RelayedExchange = { method, path, requestHeaders, requestBody };
    const fault = await relay.fault(exchange, exchanges.push(exchange) - 1);
    if (fault?.when !== 'before') exchange.answer = await forward(exchange);
    const given = fault?.answer ?? exchange.answer;
    if (given === 'silence') return;
    if (given === 'reset' || given === undefined) return void incoming.socket.destroy();
    const { status, body, headers } = given === 'cut' ? { ...exchange.answer, status: 200, body: '{"id":' } : given;
    response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) + (given === 'cut' ? 9 : 0) });
    response.write(body, () => {
      if (given === 'cut') incoming.socket.destroy();
      else response.end();
    });
  }

  const server = await serveOnLoopback((incoming, response) => {
    serve(incoming, response).catch(() => incoming.socket.destroy());
  });
  return Object.assign(relay, {
    url: server.url,
    async stop() {
      await server.stop();
      await agent.close();
    },
  });
}
