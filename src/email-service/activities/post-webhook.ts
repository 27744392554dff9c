import type { Logger } from 'pino';
import type { Sealer } from '../../sealing.ts';
import { countPost, owedWebhook, recordPost } from '../store/webhook-deliveries.ts';
import type { Store } from '../store/open-store.ts';
import { signWebhook } from '../webhooks/sign-webhook.ts';
import { webhookBody } from '../webhooks/webhook-body.ts';
import type { PostOutcome, WebhookClient } from '../webhooks/webhook-client.ts';
import { nextPostDelayMs } from '../webhooks/webhook-schedule.ts';
import { notYet } from './not-yet.ts';

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

/** One post of one event. Fails as `WebhookUnanswered` until the receiver answers 2xx or the attempts are used up. */
export const createPostWebhook =
  ({ store, sealer, webhookClient, logger, now }: PostWebhookDependencies) =>
  async ({ eventId, webhookId }: PostWebhookInput): Promise<{ outcome: PostWebhookOutcome }> => {
    const owed = await owedWebhook(store, eventId, webhookId);
    if (owed === undefined) return { outcome: 'dropped' };
    const post = { eventId, webhookId, statusCode: null, error: null, disable: false };
    if (owed.deleted_at !== null || owed.disabled_at !== null) {
      const error = owed.deleted_at === null ? 'The webhook is disabled.' : 'The webhook was deleted.';
      await recordPost(store, { ...post, status: 'failed', error, now: now() });
      return { outcome: 'dropped' };
    }

    const attempts = await countPost(store, eventId, webhookId);
    const { type, timestamp, data, url } = owed;
    const body = webhookBody({ type, timestamp, data: JSON.parse(data) as Record<string, unknown> });
    const secret = sealer.open(owed.sealed_signing_secret, `webhook/${webhookId}/signing-secret`);
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

/** Host and status only: path and query of a webhook's URL often hold a token. */
function describe(host: string, answer: PostOutcome): string {
  if (answer.kind === 'unanswered') return `${host}: ${answer.reason}.`;
  const { statusCode } = answer;
  const hint = statusCode >= 300 && statusCode < 400 ? ', and redirects are not followed' : '';
  return `${host} answered ${String(statusCode)}${hint}.`;
}
