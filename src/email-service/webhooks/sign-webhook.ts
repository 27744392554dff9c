import { createHmac } from 'node:crypto';

const SECRET_PREFIX = 'whsec_';

export interface WebhookToSign {
  /** The event's id, the same on every attempt, so that receivers can detect repeats. */
  readonly id: string;
  /** The time of this attempt; receivers refuse timestamps older than a few minutes. */
  readonly sentAt: Date;
  /** Exactly the posted bytes. */
  readonly body: string;
}

/**
 * The three headers of Standard Webhooks: HMAC-SHA256 over id, timestamp and body, joined by dots.
 * @param secret `whsec_` and base64
 */
export function signWebhook(webhook: WebhookToSign, secret: string): Record<string, string> {
  const timestamp = String(Math.floor(webhook.sentAt.getTime() / 1_000));
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
  const signature = createHmac('sha256', key).update(`${webhook.id}.${timestamp}.${webhook.body}`).digest('base64');
  return { 'webhook-id': webhook.id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
}
