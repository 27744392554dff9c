import { Webhook } from 'standardwebhooks';

export const RESEND_SECRET = `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`;

export interface ResendWebhook {
  readonly headers: Record<string, string>;
  readonly payload: string;
}

/** A webhook as Resend posts it, right in everything; each test breaks one thing. */
export function resendWebhook(
  event: object,
  { secret = RESEND_SECRET, aheadMs = 0, id = 'msg_1' }: { secret?: string; aheadMs?: number; id?: string } = {},
): ResendWebhook {
  const payload = JSON.stringify({ created_at: '2026-11-24T12:00:00.000Z', ...event });
  const at = new Date(Date.now() + aheadMs);
  return {
    payload,
    headers: {
      'content-type': 'application/json',
      'svix-id': id,
      'svix-timestamp': String(Math.floor(at.getTime() / 1_000)),
      'svix-signature': new Webhook(secret).sign(id, at, payload),
    },
  };
}
