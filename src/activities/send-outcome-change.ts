import { activityInfo, cancellationSignal, log } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { Webhook } from 'standardwebhooks';
import { request } from 'undici';
import type { OutcomeChange } from '../agents-md/outcome-change.ts';
import { withDeadline } from '../lib/with-deadline.ts';
import { withoutStack } from '../lib/without-stack.ts';

/** As receivers of webhooks are used to. */
const ANSWER_TIMEOUT_MS = 15_000;
/** More than this of an answer is not read. */
const ANSWER_BYTES_MAX = 64 * 1024;

export interface AnnouncementDependencies {
  /** Where a change of outcome is told; undefined: nowhere but in the log and by its Search Attribute. */
  readonly changeWebhook: ChangeWebhook | undefined;
  /** For the whole exchange. @default 15 seconds */
  readonly answerTimeoutMs?: number;
}

export interface ChangeWebhook {
  readonly url: string;
  /** `whsec_` and base64, as Standard Webhooks has it. */
  readonly signingSecret: string;
}

/**
 * The outgoing webhook `agents_md.changed`, signed as https://www.standardwebhooks.com describes: `{type, timestamp,
 * data: {producerId, from, to}}`. Any 2xx takes it; anything else, a redirect too, is tried again; 410 ends it.
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
        throw notTaken(reasonOf(error));
      });
      if (statusCode === 410) throw notTaken('status 410: it wants no more webhooks', true);
      if (statusCode < 200 || statusCode > 299) throw notTaken(`status ${statusCode}`);
      log.info('told of a changed outcome', { producerId: change.producerId, eventId });
      return { sent: true };
    },
  };
}

function reasonOf(error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError') return 'no answer in time';
  return error instanceof Error && 'code' in error ? String(error.code) : 'the connection ended without an answer';
}

/** The address is not repeated: people put tokens into such URLs. */
const notTaken = (reason: string, nonRetryable = false): ApplicationFailure =>
  withoutStack(
    ApplicationFailure.create({
      type: 'WebhookNotTaken',
      message: `The receiver of AGENTS_MD_WEBHOOK_URL did not take agents_md.changed: ${reason}`,
      nonRetryable,
    }),
  );
