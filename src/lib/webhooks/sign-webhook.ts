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
 * @param secrets each `whsec_` and base64; every one signs, so that a receiver with either can verify while they are rotated
 */
export function signWebhook(
  { id, sentAt, body }: WebhookToSign,
  ...secrets: readonly string[]
): Record<string, string> {
  const timestamp = String(Math.floor(sentAt.getTime() / 1_000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}
