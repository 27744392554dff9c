import { createHash } from 'node:crypto';
import { sameSecret } from '../lib/same-secret.ts';
import { readSignedWebhook, type SignedWebhook } from '../lib/webhooks/read-signed-webhook.ts';
import { WEBHOOK_SECRET_HEADER } from '../onboarding/onboarding-ids.ts';

/**
 * Reads a webhook's content; undefined unless its signature matches the raw bytes. A provider that signs nothing repeats the secret in a header: its
 * content may be anybody's, and only wakes.
 */
export function verifyWebhook({
  signingSecret,
  ...webhook
}: SignedWebhook & {
  /** `whsec_…` */
  readonly signingSecret: string;
}): { eventId: string; type: string } | undefined {
  const secret = webhook.headers[WEBHOOK_SECRET_HEADER];
  if (typeof secret === 'string' && secret !== '')
    return sameSecret(secret, signingSecret)
      ? { eventId: createHash('sha256').update(webhook.body).digest('base64url'), type: 'unsigned' }
      : undefined;
  const signed = readSignedWebhook(webhook, [signingSecret]);
  if (signed === undefined || !('type' in signed.content)) return undefined;
  const { type } = signed.content;
  return typeof type === 'string' ? { eventId: signed.id, type } : undefined;
}
