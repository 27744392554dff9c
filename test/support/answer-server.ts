import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { serveOnLoopback } from '../../src/dev/serve-on-loopback.ts';

export interface ReceivedRequest {
  /** `GET /domains/dom_1` */
  readonly call: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}
export type Answer = (request: ReceivedRequest, response: ServerResponse) => unknown;
export type AnswerServer = Awaited<ReturnType<typeof startAnswerServer>>;

/** A provider that answers every request in one way, which a test may replace. */
export async function startAnswerServer(answer: Answer = (_request, response) => response.writeHead(500).end()) {
  const { url: baseUrl, stop: close } = await serveOnLoopback((incoming, response) => {
    void text(incoming).then((content) => {
      const { method = '', url = '', headers } = incoming;
      const request = { call: `${method} ${url}`, headers, text: content };
      running.requests.push(request);
      return running.answer(request, response);
    });
  });
  /** `requests`: oldest first. */
  const running = { baseUrl, answer, requests: [] as ReceivedRequest[], close };
  return running;
}

export const jsonAnswer =
  (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Answer =>
  (_request, response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));

/** Without a Content-Type, which the specification does not ask for. */
export const untypedAnswer =
  (status: number, body: unknown): Answer =>
  (_request, response) =>
    response.writeHead(status).end(JSON.stringify(body));
