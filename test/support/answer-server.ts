import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface ReceivedRequest {
  /** `GET /domains/dom_1` */
  readonly call: string;
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}
export type Answer = (request: ReceivedRequest, response: ServerResponse) => unknown;
export type AnswerServer = Awaited<ReturnType<typeof startAnswerServer>>;

/**
 * A server that records every request and answers it in one way, which a test may replace.
 *
 * @param answer called after the body was read
 */
export async function startAnswerServer(
  answer: Answer = (_request, response) => response.writeHead(500).end(),
  { host = '127.0.0.1', port = 0 } = {},
) {
  let connections = 0;
  const server = createServer((incoming, response) => {
    void text(incoming).then((body) => {
      const { method = '', url: path = '', headers } = incoming;
      const request = { call: `${method} ${path}`, method, path, headers, body };
      running.requests.push(request);
      return running.answer(request, response);
    });
  }).on('connection', () => (connections += 1));
  await once(server.listen(port, host), 'listening');
  const { port: bound } = server.address() as AddressInfo;
  const running = {
    ...{ baseUrl: `http://127.0.0.1:${bound}`, port: bound, answer },
    /** Oldest first. */
    requests: [] as ReceivedRequest[],
    /** The number of opened connections, including those without a request. */
    connections: () => connections,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return running;
}

export const sendJson = (
  response: ServerResponse,
  status: number,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
) => response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));

export const jsonAnswer =
  (status: number, body?: unknown, headers?: Readonly<Record<string, string>>): Answer =>
  (_request, response) =>
    sendJson(response, status, body, headers);

/** Without a Content-Type, which the specification does not ask for. */
export const untypedAnswer =
  (status: number, body: unknown): Answer =>
  (_request, response) =>
    response.writeHead(status).end(JSON.stringify(body));
