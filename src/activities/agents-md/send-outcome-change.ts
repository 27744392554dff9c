import { activityInfo, log } from '@temporalio/activity';
import type { ApplicationFailure } from '@temporalio/common';
import type { OutcomeChange } from '../../agents-md/outcome-change.ts';
import { describePost, postVerdict } from '../../lib/webhooks/post-verdict.ts';
import type { WebhookClient } from '../../lib/webhooks/webhook-client.ts';
import { expectedFailure } from '../../lib/expected-failure.ts';
import { type EventReceiver, postEvent } from '../post-event.ts';

export interface AnnouncementDependencies {
  /** Undefined: changed outcomes appear only in the log and as a Search Attribute. */
  readonly changeReceiver: EventReceiver | undefined;
  readonly webhookClient: WebhookClient;
}

/**
 * The outgoing webhook `agents_md.changed` with data `{producerId, from, to}`. Any 2xx accepts it, 410 ends it, and any other
 * status, redirects included, is retried.
 */
export function announcementActivities({ changeReceiver, webhookClient }: AnnouncementDependencies) {
  return {
    async sendOutcomeChange({
      change,
      eventId,
    }: {
      change: OutcomeChange;
      eventId: string;
    }): Promise<{ sent: boolean }> {
      if (changeReceiver === undefined) return { sent: false };
      const timestamp = new Date(activityInfo().scheduledTimestampMs).toISOString();
      const event = { id: eventId, type: 'agents_md.changed', timestamp, data: change };
      const outcome = await postEvent(webhookClient, changeReceiver, event);
      const verdict = postVerdict(outcome);
      if (verdict !== 'accepted') throw notAccepted(describePost(changeReceiver.url, outcome), verdict === 'gone');
      log.info('announced a changed outcome', { producerId: change.producerId, eventId });
      return { sent: true };
    },
  };
}

const notAccepted = (reason: string, isGone: boolean): ApplicationFailure =>
  expectedFailure({
    type: 'WebhookNotTaken',
    message: `The receiver of AGENTS_MD_WEBHOOK_URL did not accept agents_md.changed: ${reason}${isGone ? ', so nothing more is sent' : ''}`,
    nonRetryable: isGone,
  });
