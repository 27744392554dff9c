import type { Logger } from 'pino';
import { openIfPossible, type Sealer } from '../../lib/sealing.ts';
import { withJitter } from '../../lib/timing/with-jitter.ts';
import { sealingContext } from '../store/sealed-secrets.ts';
import { countPost, type PostToRecord, recordPost, webhookDelivery } from '../store/webhook-deliveries.ts';
import type { Store } from '../store/open-store.ts';
import { webhookBody } from '../webhooks/webhook-body.ts';
import { describePost, postVerdict } from '../../lib/webhooks/post-verdict.ts';
import { signWebhook } from '../../lib/webhooks/sign-webhook.ts';
import type { WebhookClient } from '../../lib/webhooks/webhook-client.ts';
import { nextPostDelayMs, POSTING_TIME_MS } from '../../lib/webhooks/retry-delays.ts';
import { notYet } from '../../lib/temporal/not-yet.ts';
import { attemptTimeMs, type Attempt } from './attempt-context.ts';
import { isPastRetention, unknownId } from './unknown-id.ts';

export interface PostWebhookDependencies {
  readonly store: Store;
  readonly sealer: Sealer;
  readonly webhookClient: WebhookClient;
  readonly logger: Logger;
  readonly now: () => Date;
}

export interface PostWebhookInput {
  readonly eventId: string;
  readonly webhookId: string;
}

/** `dropped`: the webhook was deleted or disabled, or this delivery had ended before and may have left the database. */
export type PostWebhookOutcome = 'delivered' | 'failed' | 'dropped';

/** An operator must add the missing encryption key and restart the service. */
const SECRET_UNREADABLE_RETRY_MS = 5 * 60_000;

/** One post of one event. Throws `WebhookUnanswered` until the receiver answers 2xx or all attempts have failed. */
export const createPostWebhook =
  ({
    store,
    sealer,
    webhookClient,
    logger,
    now,
  }: PostWebhookDependencies): Attempt<PostWebhookInput, { outcome: PostWebhookOutcome }> =>
  async ({ eventId, webhookId }, run) => {
    const delivery = await webhookDelivery(store, eventId, webhookId);
    if (delivery === undefined && isPastRetention(run)) return { outcome: 'dropped' };
    if (delivery === undefined) throw unknownId('webhook delivery', `${eventId} to ${webhookId}`);
    if (delivery.status !== 'pending') return { outcome: 'dropped' };
    const record = (
      post: Pick<PostToRecord, 'status'> & Partial<Omit<PostToRecord, 'eventId' | 'webhookId' | 'now'>>,
    ): Promise<void> =>
      recordPost(store, { eventId, webhookId, statusCode: null, error: null, disable: false, now: now(), ...post });
    if (delivery.deleted_at !== null || delivery.disabled_at !== null) {
      const error = delivery.deleted_at === null ? 'The webhook is disabled.' : 'The webhook was deleted.';
      await record({ status: 'failed', error });
      return { outcome: 'dropped' };
    }

    // Not counted as an attempt, because the fault is on our side and nothing was posted.
    const context = sealingContext.signingSecret(webhookId);
    const secret = openIfPossible(sealer, { sealed: delivery.sealed_signing_secret, context });
    if (secret === undefined) {
      const error = 'No configured encryption key decrypts the signing secret.';
      logger.error(
        { eventId, webhookId },
        'cannot sign a webhook: no configured encryption key decrypts its secret; add the missing key to EMAIL_SERVICE_ENCRYPTION_KEY',
      );
      const isOver = attemptTimeMs(now(), run) - Date.parse(delivery.created_at) >= POSTING_TIME_MS;
      const retryInMs = withJitter(SECRET_UNREADABLE_RETRY_MS, Math.random());
      await record({ status: isOver ? 'failed' : 'pending', error, retryInMs });
      if (isOver) return { outcome: 'failed' };
      throw notYet('SigningSecretUnreadable', error, retryInMs);
    }

    const attempts = await countPost(store, eventId, webhookId);
    const { type, timestamp, data, url } = delivery;
    const body = webhookBody({ type, timestamp, data: JSON.parse(data) as Record<string, unknown> });
    const answer = await webhookClient.post(url, signWebhook({ id: eventId, sentAt: now(), body }, secret), body);
    const { host } = new URL(url);
    const statusCode = answer.kind === 'answered' ? answer.statusCode : null;
    logger.info({ eventId, webhookId, host, attempts, statusCode }, 'webhook posted');

    const verdict = postVerdict(answer);
    if (verdict === 'accepted') {
      await record({ status: 'delivered', statusCode });
      return { outcome: 'delivered' };
    }
    const retryAfterMs = answer.kind === 'answered' ? answer.retryAfterMs : undefined;
    const delayMs = nextPostDelayMs(attempts, retryAfterMs, Math.random());
    const isOver = verdict === 'gone' || delayMs === undefined;
    const error = `${describePost(url, answer)}.`;
    const status = isOver ? 'failed' : 'pending';
    const retry = delayMs === undefined ? {} : { retryInMs: delayMs };
    await record({ ...retry, status, statusCode, error, disable: verdict === 'gone' });
    if (isOver) return { outcome: 'failed' };
    throw notYet('WebhookUnanswered', `Attempt ${String(attempts)}: ${error}`, delayMs);
  };
