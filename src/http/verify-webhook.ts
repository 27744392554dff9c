import type { IncomingHttpHeaders } from 'node:http';
import { Webhook } from 'standardwebhooks';

/** Reads a webhook's content; undefined unless its signature matches the raw bytes. */
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
    // The sender does not learn whether headers, timestamp, secret or bytes are wrong.
    return undefined;
  }
}
