import type { IncomingHttpHeaders } from 'node:http';
import { Webhook } from 'standardwebhooks';

/** The only way to get at a webhook's content: undefined unless its signature fits the raw bytes. */
export function verifyWebhook({
  body,
  headers,
  signingSecret,
}: {
  body: Buffer;
  headers: IncomingHttpHeaders;
  /** `whsec_…` */
  signingSecret: string;
}): { eventId: string; type: string } | undefined {
  const header = (name: string): string => (typeof headers[name] === 'string' ? headers[name] : '');
  const eventId = header('webhook-id');
  try {
    const content = new Webhook(signingSecret).verify(body, {
      'webhook-id': eventId,
      'webhook-timestamp': header('webhook-timestamp'),
      'webhook-signature': header('webhook-signature'),
    });
    if (typeof content !== 'object' || content === null || !('type' in content)) return undefined;
    return typeof content.type === 'string' ? { eventId, type: content.type } : undefined;
  } catch {
    // Missing headers, an old or future timestamp, another secret, altered bytes: all the same to the sender.
    return undefined;
  }
}
