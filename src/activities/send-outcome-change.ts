import { activityInfo, cancellationSignal, log } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { Webhook } from 'standardwebhooks';
import { request } from 'undici';
import type { OutcomeChange } from '../agents-md/outcome-change.ts';
import { withDeadline } from '../lib/with-deadline.ts';
import { withoutStack } from '../lib/without-stack.ts';

/** Common among webhook senders. */
const ANSWER_TIMEOUT_MS = 15_000;
/** Read at most this much of a response. */
const ANSWER_BYTES_MAX = 64 * 1024;

export interface AnnouncementDependencies {
  /** Undefined: changed outcomes appear only in the log and as a Search Attribute. */
  readonly changeWebhook: ChangeWebhook | undefined;
  /** For the whole request. @default 15 seconds */
  readonly answerTimeoutMs?: number;
}

export interface ChangeWebhook {
  readonly url: string;
  /** `whsec_` and base64, as Standard Webhooks defines it. */
  readonly signingSecret: string;
}

/**
 * The outgoing webhook `agents_md.changed`, signed as https://www.standardwebhooks.com describes: `{type, timestamp,
 * data: {producerId, from, to}}`. Any 2xx accepts it, 410 ends it, and any other status, redirects included, is retried.
 */
export function announcementActivities({
  changeWebhook,
  answerTimeoutMs = ANSWER_TIMEOUT_MS,
}: AnnouncementDependencies) {
  return {
    async sendOutcomeChange({
      change,
      eventId,
    }: {
      change: OutcomeChange;
      eventId: string;
    }): Promise<{ sent: boolean }> {
      if (changeWebhook === undefined) return { sent: false };
      const { url, signingSecret } = changeWebhook;
      const { scheduledTimestampMs } = activityInfo();
      const timestamp = new Date(scheduledTimestampMs).toISOString();
      const body = JSON.stringify({ type: 'agents_md.changed', timestamp, data: change });
      const sentAt = new Date();
      const headers = {
        'content-type': 'application/json',
        'webhook-id': eventId,
        'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1_000)),
        'webhook-signature': new Webhook(signingSecret).sign(eventId, sentAt, body),
      };
      const statusCode = await withDeadline(
        answerTimeoutMs,
        async (signal) => {
          const answer = await request(url, { method: 'POST', headers, body, signal });
          await answer.body.dump({ limit: ANSWER_BYTES_MAX, signal });
          return answer.statusCode;
        },
        cancellationSignal(),
      ).catch((error: unknown) => {
        cancellationSignal().throwIfAborted();
        throw notAccepted(reasonOf(error));
      });
      if (statusCode === 410) throw notAccepted('status 410, so nothing more is sent', true);
      if (statusCode < 200 || statusCode > 299) throw notAccepted(`status ${statusCode}`);
      log.info('announced a changed outcome', { producerId: change.producerId, eventId });
      return { sent: true };
    },
  };
}

function reasonOf(error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError') return 'no answer before the time limit';
  return error instanceof Error && 'code' in error ? String(error.code) : 'the connection closed without an answer';
}

/** Does not repeat the URL, which may hold a token. */
const notAccepted = (reason: string, nonRetryable = false): ApplicationFailure =>
  withoutStack(
    ApplicationFailure.create({
      type: 'WebhookNotTaken',
      message: `The receiver of AGENTS_MD_WEBHOOK_URL did not accept agents_md.changed: ${reason}`,
      nonRetryable,
    }),
  );
