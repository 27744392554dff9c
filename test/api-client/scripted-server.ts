import type { IncomingMessage, ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import { serveOnLoopback } from '../../src/dev/serve-on-loopback.ts';

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
  const { url, stop } = await serveOnLoopback((incoming, response) => {
    const request = { call: `${incoming.method ?? ''} ${incoming.url ?? ''}`, headers: incoming.headers };
    requests.push(request);
    answers[Math.min(requests.length, answers.length) - 1]?.(response, request);
  });
  onTestFinished(stop);
  return { baseUrl: url, requests };
}
