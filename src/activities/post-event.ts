import { cancellationSignal } from '@temporalio/activity';
import { signWebhook } from '../lib/webhooks/sign-webhook.ts';
import type { PostOutcome, WebhookClient } from '../lib/webhooks/webhook-client.ts';

/** A program of the operator that receives webhooks of sendoff. */
export interface EventReceiver {
  readonly url: string;
  /** Each `whsec_` and base64; every one signs. */
  readonly signingSecrets: readonly string[];
}

export interface OutgoingEvent {
  /** `webhook-id`: the same on every attempt, so that the receiver recognizes a repetition. */
  readonly id: string;
  readonly type: string;
  /** RFC 3339: when it happened. */
  readonly timestamp: string;
  readonly data: object;
}

/** Posts `{type, timestamp, data}`, signed as https://www.standardwebhooks.com describes. Throws when the Activity is cancelled. */
export function postEvent(
  webhookClient: WebhookClient,
  { url, signingSecrets }: EventReceiver,
  { id, type, timestamp, data }: OutgoingEvent,
): Promise<PostOutcome> {
  const body = JSON.stringify({ type, timestamp, data });
  const headers = signWebhook({ id, sentAt: new Date(), body }, ...signingSecrets);
  return webhookClient.post(url, headers, body, cancellationSignal());
}
