import type { ApplicationFailure } from '@temporalio/common';
import { nextAttemptDelayMs } from '../delivery/attempt-delays.ts';
import { bounceWithoutRefusal } from '../delivery/classify-bounce.ts';
import type { DeliveryResult } from '../delivery/deliver-message.ts';
import { isSandbox, sandboxOutcome } from '../delivery/sandbox.ts';
import type { Reports } from '../inbound/report.ts';
import type { AttemptEnd } from '../store/delivery-attempts.ts';
import type { Bounce } from '../resources/email.ts';
import type { EmailToDeliver } from '../store/emails.ts';
import type { Sealer } from '../../lib/sealing.ts';
import type { Store } from '../store/open-store.ts';
import type { Commit } from '../store/outbox.ts';
import { recordReportIn } from '../store/record-report.ts';
import { refusesAddress } from '../store/suppressions.ts';
import {
  type AfterDelivery,
  attemptEnd,
  type EmailEnd,
  recordDeferral,
  recordFinalStatus,
  type TakenOver,
} from '../store/record-attempt.ts';
import { notYet } from '../../lib/temporal/not-yet.ts';

/** Between tries to record an outcome: a write itself waits some seconds for a lock; other errors are immediate. */
export const RECORD_RETRY_MS = 500;
/** A Worker aborted the attempt because it shuts down or lost the lease; another one retries at once. */
const INTERRUPTED_RETRY_MS = 1_000;
export interface Attempted {
  readonly email: EmailToDeliver;
  readonly number: number;
  readonly result: DeliveryResult;
  /** Deferred only because this Worker shuts down, or lost the lease of the attempt. */
  readonly interrupted: boolean;
}

/** Whether it ends the email as one of the bounces by which an account is judged. */
export const isJudged = ({ email, result }: Attempted): boolean =>
  result.kind === 'bounced' && refusesAddress(result.bounce) && !isSandbox(email.recipient);

export interface SettleOptions extends Commit {
  /** Until the email expires. */
  readonly remainingMs: number;
}

/** The email's final status, or the failure that schedules the next attempt; `posts`: webhooks to begin. */
export type SettledAttempt = EmailEnd | (Pick<EmailEnd, 'posts'> & { readonly retry: ApplicationFailure });
export async function settleAttempt(
  { store, sealer }: { readonly store: Store; readonly sealer: Sealer },
  { email, number, result, interrupted }: Attempted,
  { now, remainingMs, claimed }: SettleOptions,
): Promise<SettledAttempt> {
  const ended = { emailId: email.id, number, result, now, claimed };
  const bounced = async (bounce: Bounce): Promise<SettledAttempt> =>
    settled(await recordFinalStatus(store, sealer, { ...ended, status: 'bounced', bounce }));
  if (result.kind === 'bounced') return bounced(result.bounce);
  if (result.kind === 'delivered') {
    const afterDelivery = recordSandboxReports(sealer, email, { now, claimed });
    return settled(await recordFinalStatus(store, sealer, { ...ended, status: 'delivered' }, afterDelivery));
  }

  const delayMs = interrupted ? INTERRUPTED_RETRY_MS : nextAttemptDelayMs(number, remainingMs, Math.random());
  if (delayMs === undefined) return bounced(expiredBounce({ number, ...attemptEnd(result) }));
  const deferral = await recordDeferral(store, { ...ended, withEvent: !interrupted, retryInMs: delayMs });
  if (deferral === 'takenOver' || 'status' in deferral) return settled(deferral);
  return { ...deferral, retry: notYet('EmailDeferred', describeDeferral(number, result), delayMs) };
}

function recordSandboxReports(
  sealer: Sealer,
  { id: emailId, recipient }: EmailToDeliver,
  at: Commit,
): AfterDelivery | undefined {
  const reports = sandboxReports(recipient);
  if (reports.length === 0) return undefined;
  return async (transaction) => {
    const recorded = await recordReportIn(transaction, sealer, { emailId, reports, ...at });
    return 'posts' in recorded ? recorded.posts : [];
  };
}

/** What servers would report after the delivery; empty for most recipients. */
function sandboxReports(recipient: string): Reports {
  const outcome = sandboxOutcome(recipient);
  if (outcome === 'late-bounced')
    return [{ kind: 'failed', recipients: [recipient], status: '5.1.1', diagnostic: '550 5.1.1 User unknown' }];
  if (outcome === 'complained') return [{ kind: 'complaint', recipients: [recipient], type: 'abuse' }];
  return [];
}

/** The next run asks the database what the other process has done. */
const settled = (recorded: EmailEnd | TakenOver): SettledAttempt =>
  recorded === 'takenOver'
    ? { posts: [], retry: notYet('AttemptUnderWay', 'Another process has taken over the email.', INTERRUPTED_RETRY_MS) }
    : recorded;

/** @param last the reply to the last attempt is the best explanation of the bounce */
export const expiredBounce = (last: ({ readonly number: number } & AttemptEnd) | undefined) =>
  bounceWithoutRefusal('expired', {
    attempt: last?.number ?? null,
    diagnostic: last?.diagnostic ?? null,
    remote_mta: last?.remote_mta ?? null,
    smtp_code: last?.reply_code ?? null,
    enhanced_code: last?.enhanced_status_code ?? null,
  });

type Deferral = Extract<DeliveryResult, { kind: 'deferred' | 'unknown' }>;

/** Only host and code: replies often repeat the recipient's address, which must not enter the Event History. */
function describeDeferral(number: number, result: Deferral): string {
  const host = result.remoteMta ?? 'DNS';
  if (result.kind === 'unknown')
    return `Attempt ${String(number)}: the connection to ${host} was lost before it confirmed the message.`;
  if (result.reply === undefined) return `Attempt ${String(number)}: cannot deliver to ${host}.`;
  const { replyCode, enhancedCode = '' } = result.reply;
  return `Attempt ${String(number)}: ${host} deferred the email with ${`${String(replyCode)} ${enhancedCode}`.trim()}.`;
}
