import type { Logger } from 'pino';
import { UnsealError, type Sealer } from '../../lib/sealing.ts';
import { withJitter } from '../../lib/with-jitter.ts';
import { sealingContext } from '../store/sealed-secrets.ts';
import { countPost, owedWebhook, recordPost } from '../store/webhook-deliveries.ts';
import type { Store } from '../store/open-store.ts';
import { signWebhook } from '../webhooks/sign-webhook.ts';
import { webhookBody } from '../webhooks/webhook-body.ts';
import type { PostOutcome, WebhookClient } from '../webhooks/webhook-client.ts';
import { nextPostDelayMs, POSTING_TIME_MS } from '../webhooks/webhook-schedule.ts';
import { notYet } from '../../lib/temporal/not-yet.ts';
import { attemptTimeMs } from './attempt-time.ts';
import { unknownId } from './unknown-id.ts';

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

/** `dropped`: the webhook was deleted or disabled, or this delivery had ended before. */
export type PostWebhookOutcome = 'delivered' | 'failed' | 'dropped';

/** RFC 9110 section 15.5.11: the receiver says that nothing will ever be here again. */
const GONE = 410;
/** A key that was left out of the settings is put back by a person, and then the service starts anew. */
const AFTER_UNREADABLE_SECRET_MS = 5 * 60_000;

/** One post of one event. Fails as `WebhookUnanswered` until the receiver answers 2xx or the attempts are used up. */
export const createPostWebhook =
  ({ store, sealer, webhookClient, logger, now }: PostWebhookDependencies) =>
  async ({ eventId, webhookId }: PostWebhookInput): Promise<{ outcome: PostWebhookOutcome }> => {
    const owed = await owedWebhook(store, eventId, webhookId);
    if (owed === undefined) throw unknownId('webhook delivery', `${eventId} to ${webhookId}`);
    if (owed.status !== 'pending') return { outcome: 'dropped' };
    const post = { eventId, webhookId, statusCode: null, error: null, disable: false };
    if (owed.deleted_at !== null || owed.disabled_at !== null) {
      const error = owed.deleted_at === null ? 'The webhook is disabled.' : 'The webhook was deleted.';
      await recordPost(store, { ...post, status: 'failed', error, now: now() });
      return { outcome: 'dropped' };
    }

    // Before the attempt is counted: nothing was asked of the receiver when the fault is on this side.
    const secret = openSecret(sealer, owed.sealed_signing_secret, webhookId);
    if (secret === undefined) {
      const error = 'The signing secret cannot be opened with the encryption keys there are.';
      logger.error({ eventId, webhookId }, 'a webhook cannot be signed: no configured encryption key opens its secret');
      const isOver = attemptTimeMs(now()) - Date.parse(owed.owed_since) >= POSTING_TIME_MS;
      await recordPost(store, { ...post, status: isOver ? 'failed' : 'pending', error, now: now() });
      if (isOver) return { outcome: 'failed' };
      throw notYet('SigningSecretUnreadable', error, withJitter(AFTER_UNREADABLE_SECRET_MS, Math.random()));
    }

    const attempts = await countPost(store, eventId, webhookId);
    const { type, timestamp, data, url } = owed;
    const body = webhookBody({ type, timestamp, data: JSON.parse(data) as Record<string, unknown> });
    const answer = await webhookClient.post(url, signWebhook({ id: eventId, sentAt: now(), body }, secret), body);
    const { host } = new URL(url);
    const statusCode = answer.kind === 'answered' ? answer.statusCode : null;
    logger.info({ eventId, webhookId, host, attempts, statusCode }, 'webhook posted');

    if (statusCode !== null && statusCode >= 200 && statusCode < 300) {
      await recordPost(store, { ...post, status: 'delivered', statusCode, now: now() });
      return { outcome: 'delivered' };
    }
    const retryAfterMs = answer.kind === 'answered' ? answer.retryAfterMs : undefined;
    const delayMs = nextPostDelayMs(attempts, retryAfterMs, Math.random());
    const isOver = statusCode === GONE || delayMs === undefined;
    const error = describe(host, answer);
    const status = isOver ? 'failed' : 'pending';
    await recordPost(store, { ...post, status, statusCode, error, disable: statusCode === GONE, now: now() });
    if (isOver) return { outcome: 'failed' };
    throw notYet('WebhookUnanswered', `Attempt ${String(attempts)}: ${error}`, delayMs);
  };

/** Undefined when no key fits, which may be mended; anything else is not foreseen. */
function openSecret(sealer: Sealer, sealed: string, webhookId: string): string | undefined {
  try {
    return sealer.open(sealed, sealingContext.signingSecret(webhookId));
  } catch (error) {
    if (error instanceof UnsealError) return undefined;
    throw error;
  }
}

/** Host and status only: path and query of a webhook's URL often hold a token. */
function describe(host: string, answer: PostOutcome): string {
  if (answer.kind === 'unanswered') return `${host}: ${answer.reason}.`;
  const { statusCode } = answer;
  const hint = statusCode >= 300 && statusCode < 400 ? ', and redirects are not followed' : '';
  return `${host} answered ${String(statusCode)}${hint}.`;
}
