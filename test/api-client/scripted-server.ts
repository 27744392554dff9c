import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface ReceivedRequest {
  /** `GET /onboardings/acme` */
  readonly call: string;
  readonly headers: IncomingMessage['headers'];
}

/**
 * An HTTP server for one test that answers its requests in order, the last answer again and again.
 *
 * @returns its base URL and the requests that it received
 */
export async function startScriptedServer(
  ...answers: ((response: ServerResponse, request: ReceivedRequest) => void)[]
): Promise<{ baseUrl: string; requests: ReceivedRequest[] }> {
  const requests: ReceivedRequest[] = [];
  const server = createServer((incoming, response) => {
    const request = { call: `${incoming.method ?? ''} ${incoming.url ?? ''}`, headers: incoming.headers };
    requests.push(request);
    answers[Math.min(requests.length, answers.length) - 1]?.(response, request);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  });
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}
