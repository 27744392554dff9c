// One attempt of RFC 5321 section 4.5.4.1 to deliver an email, which is in one of these states:
//
//   queued     in the database, without an attempt under way; past its expiry, or once its recipient is suppressed, it is given up, and bounces;
//              without the records of its domain, and while its account is paused, it stays here
//   attempted  an attempt and its lease are in the database, before anything of the message is sent
//   replied    the receiver has answered or the connection was lost, which only this process knows (`unrecorded`)
//   settled    the database has the reply: the email is delivered or bounced, or queued again until its next attempt
//
// After the reply to the final dot the receiver is responsible (section 4.2.5), so a message is never sent again from `replied`: the next run
// of this process only records what is known. From `attempted`, another process begins the next attempt once the lease has ended.
import { ApplicationFailure } from '@temporalio/common';
import { counter } from '../../lib/metrics/metrics.ts';
import { notYet } from '../../lib/temporal/not-yet.ts';
import { splitAddress } from '../../lib/mail-rules/mail-address-fault.ts';
import { createTurns } from '../../lib/timing/turns.ts';
import { withJitter } from '../../lib/timing/with-jitter.ts';
import type { DeliverMessage, DeliveryResult } from '../delivery/deliver-message.ts';
import { suppressedBounce } from '../delivery/classify-bounce.ts';
import { returnPathOf } from '../delivery/return-path.ts';
import { createReceiverPace } from '../delivery/receiver-pace.ts';
import { createDkimKeys } from '../delivery/parsed-dkim-keys.ts';
import { NOTICE_MS } from '../domains/domain-life.ts';
import { attachedContents } from '../store/attachments.ts';
import { beginAttempt, type NotFree } from '../store/delivery-attempts.ts';
import { emailToDeliver, type EmailToDeliver } from '../store/emails.ts';
import { recordGivenUp } from '../store/record-attempt.ts';
import { erasureMarks } from '../store/erasure-marks.ts';
import { findSuppression, type SuppressionColumns, suppressionOf } from '../store/suppressions.ts';
import { type Attempt, type AttemptContext, remainingMs } from './attempt-context.ts';
import { type AttemptLease, createAttemptLeases } from './hold-leases.ts';
import { ACCOUNT_ATTEMPTS_MAX, createAttemptsUnderWay } from './attempts-under-way.ts';
import { messageToSend } from './message-to-send.ts';
import { type Attempted, expiredBounce } from './settle-attempt.ts';
import { createSettleReplied, type SettleRepliedDependencies } from './settle-replied.ts';
import { isPastRetention, unknownId } from './unknown-id.ts';
import { withHeartbeats } from './with-heartbeats.ts';

/** `deleted`: the email ended before, and has left the database. */
export type DeliverEmailOutcome = 'delivered' | 'bounced' | 'deleted';

export interface AttemptDeliveryDependencies extends SettleRepliedDependencies {
  readonly deliverMessage: DeliverMessage;
  /** Sent in EHLO. */
  readonly hostname: string;
}

const attempts = counter<{ readonly outcome: DeliveryResult['kind'] }>(
  'sendoff_delivery_attempts',
  'Delivery attempts of this process that have ended.',
  [{ outcome: 'delivered' }, { outcome: 'deferred' }, { outcome: 'bounced' }, { outcome: 'unknown' }],
);

/** Transactions of one account at once: more would wait for its lock, each with a connection that others need. */
const WRITES_AT_ONCE = 1;
/** A session usually takes a second, so slots become free many times in this. */
const ACCOUNT_BUSY_RETRY_MS = 5_000;
/** How long an email waits, up to a tenth more, after its domain has recovered, or its account was resumed. */
const HELD_RETRY_MS = 10 * 60_000;
/** How soon this attempt sees the reply that the running attempt waits for. */
const UNDER_WAY_RETRY_MS = 3_000;

const ACCOUNT_PAUSED = 'AccountPaused';

/** Whether the email waits, with all others of its account, for what no attempt brings about. */
export const waitsForResume = (error: unknown): boolean =>
  error instanceof ApplicationFailure && error.type === ACCOUNT_PAUSED;

/** One delivery attempt. Throws `EmailDeferred` until the email has its final status. */
export const createAttemptDelivery = (
  dependencies: AttemptDeliveryDependencies,
): Attempt<{ readonly emailId: string }, { outcome: DeliverEmailOutcome }> => {
  const { store, sealer, now, beginner, unrecorded, logger } = dependencies;
  const underWay = createAttemptsUnderWay();
  const pace = createReceiverPace();
  const openDkimKey = createDkimKeys(sealer);
  const turns = createTurns(WRITES_AT_ONCE);
  const leases = createAttemptLeases({ store, logger });
  const settle = createSettleReplied(dependencies, turns);

  /** From queued to settled. */
  async function attempt(email: EmailToDeliver, run: AttemptContext): Promise<DeliverEmailOutcome> {
    const replied = unrecorded.get(email.id);
    if (replied !== undefined) return settle(replied, run);
    const { domain } = splitAddress(email.recipient);
    const busy = pace.begin(domain);
    if (busy !== undefined) {
      const sentence = 'The receiving domain has as many attempts of this process as it takes, or asked for fewer.';
      throw notYet('ReceiverBusy', sentence, withJitter(busy.retryInMs, Math.random()));
    }
    let lease: AttemptLease | undefined;
    let result: DeliveryResult | undefined;
    try {
      const begun = await beginInTurn(email);
      if (!('number' in begun)) return statusOf(begun);
      const { number, signedMessage, begunAt } = begun;
      lease = leases.hold(email.id, begunAt, run.cancelled);
      const attempted = await transmit(email, { number, signedMessage, lease }, dependencies);
      ({ result } = attempted);
      return await settle(attempted, run);
    } finally {
      lease?.release();
      pace.end(domain, result);
    }
  }

  async function beginInTurn(email: EmailToDeliver) {
    const endTurn = await turns.begin(email.account_id);
    try {
      const { message: composed, ...kept } = await messageToSend(store, email, openDkimKey);
      const begunAt = performance.now();
      const { holder } = leases;
      const started = { emailId: email.id, holder, signedMessage: composed, now: now() };
      const begun = await beginAttempt(store, { ...started, ...kept });
      if (!('number' in begun)) return begun;
      return { number: begun.number, signedMessage: begun.keptInstead ?? composed, begunAt };
    } finally {
      endTurn();
    }
  }

  /** From queued to bounced, without an attempt. */
  async function giveUp(
    { id: emailId }: EmailToDeliver,
    bounceAfter: Parameters<typeof recordGivenUp>[2],
  ): Promise<DeliverEmailOutcome> {
    const claimed = beginner.makesFirstAttempts;
    const ended = await recordGivenUp(store, { emailId, now: now(), claimed }, bounceAfter);
    if (!('posts' in ended)) return statusOf(ended);
    ended.posts.forEach(beginner.begin);
    return ended.status;
  }

  /** An erasure leaves a mark, which SQL cannot compare. */
  async function suppressionColumnsOf(email: EmailToDeliver): Promise<SuppressionColumns> {
    const { account_id: accountId, recipient: address } = email;
    if (email.suppressed_at !== null || !email.has_erased) return email;
    const marks = erasureMarks(sealer, { id: accountId, sealed_erasure_key: email.sealed_erasure_key });
    const found = await findSuppression(store, { accountId, address, marks });
    return { suppressed_at: found?.created_at ?? null, suppression_reason: found?.reason ?? null };
  }

  async function attemptOrGiveUp(email: EmailToDeliver, run: AttemptContext): Promise<DeliverEmailOutcome> {
    const { id: emailId, account_id: accountId } = email;
    // Temporal retried after a missed heartbeat, but the attempt still runs here: a second one would send the message twice.
    if (underWay.has(accountId, emailId)) {
      throw notYet('AttemptUnderWay', 'The previous attempt still waits for its reply.', UNDER_WAY_RETRY_MS);
    }
    if (!unrecorded.has(emailId)) {
      const remaining = remainingMs(email, now(), run);
      if (remaining <= 0) return giveUp(email, expiredBounce);
      const suppressed = suppressionOf(await suppressionColumnsOf(email), email.suppression_override);
      if (suppressed !== undefined) return giveUp(email, () => suppressedBounce(suppressed));
      const heldForMs = Math.min(withJitter(HELD_RETRY_MS, Math.random()), remaining);
      if (email.paused_at !== null)
        throw notYet(
          ACCOUNT_PAUSED,
          'The account is paused; the email waits until it is resumed or expires.',
          heldForMs,
        );
      if (!mayLeave(email, now())) {
        const sentence = `The domain ${email.domain_name} has lost required DNS records; the email waits for them until it expires.`;
        throw notYet('DomainNotVerified', sentence, heldForMs);
      }
    }
    if (!underWay.begin(accountId, emailId)) {
      const sentence = `The account has ${String(ACCOUNT_ATTEMPTS_MAX)} attempts under way in this process, the limit per account.`;
      throw notYet('AccountBusy', sentence, withJitter(ACCOUNT_BUSY_RETRY_MS, Math.random()));
    }
    try {
      return await withHeartbeats(attempt(email, run), () => {
        run.heartbeat();
        leases.renewSoon();
      });
    } finally {
      underWay.end(accountId, emailId);
    }
  }

  return async ({ emailId }, run) => {
    const email = await emailToDeliver(store, emailId);
    if (email === undefined && isPastRetention(run)) return { outcome: 'deleted' };
    if (email === undefined) throw unknownId('email', emailId);
    if (email.status === 'queued') return { outcome: await attemptOrGiveUp(email, run) };
    unrecorded.delete(emailId);
    return { outcome: email.status };
  };
};

/** A deleted domain is no longer checked, so its records count as lost after the time that a notice gives. */
const mayLeave = ({ domain_status: status, domain_deleted_at: deletedAt }: EmailToDeliver, now: Date): boolean =>
  status !== 'not_verified' && (deletedAt === null || now.getTime() < Date.parse(deletedAt) + NOTICE_MS);

/** @throws AttemptUnderWay until the lease of another process ends */
function statusOf(ended: NotFree): DeliverEmailOutcome {
  if ('status' in ended) return ended.status;
  throw notYet('AttemptUnderWay', 'Another process makes an attempt, or was killed during one.', ended.leasedForMs);
}

/** From attempted to replied. */
async function transmit(
  email: EmailToDeliver,
  { number, signedMessage, lease }: { number: number; signedMessage: string; lease: AttemptLease },
  { store, sealer, deliverMessage, hostname, logger }: AttemptDeliveryDependencies,
): Promise<Attempted> {
  const message = {
    envelopeFrom: returnPathOf(sealer, email),
    recipient: email.recipient,
    signedMessage,
    contents: attachedContents(store, email),
    attempt: number,
    tls: email.domain_tls,
  };
  const { signal, mayStillSend } = lease;
  const result = await deliverMessage(message, { hostname, signal, mayStillSend });
  const { kind: outcome, remoteMta } = result;
  attempts.add({ outcome });
  logger.info({ emailId: email.id, attempt: number, outcome, remoteMta }, 'delivery attempt');
  return { email, number, result, interrupted: outcome === 'deferred' && result.reply === undefined && signal.aborted };
}
