import type { ServerResponse } from 'node:http';
import { createWebhookClient, type WebhookClient } from '../../src/lib/webhooks/webhook-client.ts';
import { startAnswerServer } from './answer-server.ts';

export type TestReceiver = Awaited<ReturnType<typeof startTestReceiver>>;

/** Posts to receivers on loopback. */
export const loopbackWebhookClient = (timeoutMs?: number): WebhookClient =>
  createWebhookClient({
    ...{ allowHttp: true, mayConnectTo: () => true, now: () => new Date() },
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });

/** A real HTTP server that stores what is posted to it. @param answer called after the body was read */
export async function startTestReceiver(
  answer: (response: ServerResponse) => void,
  where?: { readonly host?: string; readonly port?: number },
) {
  const server = await startAnswerServer((_request, response) => {
    answer(response);
  }, where);
  const { baseUrl: url, port, requests: posts, connections, close: stop } = server;
  return { url, port, posts, connections, stop };
}
