import { log } from '@temporalio/activity';
import { notYet } from '../../lib/temporal/not-yet.ts';
import { describePost, postVerdict } from '../../lib/webhooks/post-verdict.ts';
import type { WebhookClient } from '../../lib/webhooks/webhook-client.ts';
import { nextPostDelayMs } from '../../lib/webhooks/retry-delays.ts';
import type { NotificationQueue, StoredNotification } from '../../store/upkeep/notification-queue.ts';
import { type EventReceiver, type OutgoingEvent, postEvent } from '../post-event.ts';

export interface NotificationDependencies {
  readonly queue: Pick<NotificationQueue, 'next' | 'beginAttempt' | 'endAttempt'>;
  /** The backend. */
  readonly receiver: EventReceiver;
  readonly webhookClient: WebhookClient;
}

export interface SentNotification {
  readonly id: string;
  readonly type: string;
  readonly outcome: 'delivered' | 'failed';
}

export function notificationActivities({ queue, receiver, webhookClient }: NotificationDependencies) {
  return {
    /**
     * One attempt at the tenant's next notification. Fails as `NotificationNotAccepted` until the backend answers 2xx, answers
     * 410, or all attempts have failed: ten in 75 hours.
     */
    async sendNotification({
      tenantId,
    }: {
      tenantId: string;
    }): Promise<{ sent: SentNotification | null; remaining: boolean }> {
      const notification = await queue.next(tenantId);
      if (notification === undefined) return { sent: null, remaining: false };
      const { id, type } = notification;
      const attempts = await queue.beginAttempt(id, now());
      const answer = await postEvent(webhookClient, receiver, outgoing(notification));
      const verdict = postVerdict(answer);
      const delayMs = nextPostDelayMs(
        attempts,
        answer.kind === 'answered' ? answer.retryAfterMs : undefined,
        Math.random(),
      );
      if (verdict === 'refused' && delayMs !== undefined) {
        const error = describePost(receiver.url, answer);
        await queue.endAttempt(id, 'pending', error, now());
        throw notYet('NotificationNotAccepted', `${type}, attempt ${String(attempts)}: ${error}`, delayMs);
      }
      const outcome = verdict === 'accepted' ? 'delivered' : 'failed';
      const error = outcome === 'failed' ? describePost(receiver.url, answer) : null;
      await queue.endAttempt(id, outcome, error, now());
      if (error !== null) log.warn('gave up a notification to the backend', { tenantId, id, type, attempts, error });
      return { sent: { id, type, outcome }, remaining: (await queue.next(tenantId)) !== undefined };
    },
  };
}

export const outgoing = ({ id, type, at, tenantId, data }: StoredNotification): OutgoingEvent => ({
  id,
  type,
  timestamp: at,
  data: { tenantId, ...data },
});

const now = (): string => new Date().toISOString();
