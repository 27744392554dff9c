import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Sealer } from '../../lib/sealing.ts';
import { composeMessage } from '../delivery/compose-message.ts';
import { createDkimKeys, type OpenDkimKey } from '../delivery/dkim-keys.ts';
import type { DeliverMessage } from '../delivery/deliver-message.ts';
import { createRepetitionFilter } from '../../lib/repetition-filter.ts';
import { withJitter } from '../../lib/with-jitter.ts';
import { beginAttempt, type NotFree } from '../store/delivery-attempts.ts';
import {
  emailContent,
  emailToDeliver,
  keptSignedMessage,
  type EmailContent,
  type EmailToDeliver,
} from '../store/emails.ts';
import { recordExpiry } from '../store/record-attempt.ts';
import { sealingContext } from '../store/sealed-secrets.ts';
import type { Store } from '../store/open-store.ts';
import type { OutboxStarter } from '../store/outbox.ts';
import { createAttemptLeases, type AttemptLease } from './attempt-leases.ts';
import { createAttemptsUnderWay } from './attempts-under-way.ts';
import { notYet } from '../../lib/temporal/not-yet.ts';
import { attemptTimeMs, type Attempt, type AttemptContext } from './attempt-context.ts';
import { expiredBounce, settleAttempt, type Attempted, type SettledAttempt } from './settle-attempt.ts';
import { isPastRetention, unknownId } from './unknown-id.ts';

/** `deleted`: the email ended before, and has left the database. */
export type DeliverEmailOutcome = 'delivered' | 'bounced' | 'deleted';

export interface AttemptDeliveryDependencies {
  readonly store: Store;
  readonly sealer: Sealer;
  readonly deliverMessage: DeliverMessage;
  /** Sent in EHLO. */
  readonly hostname: string;
  readonly beginner: OutboxStarter;
  /** By email id: outcomes not in the database yet. At shutdown, `recordOutcomes` records what is left. */
  readonly unrecorded: Map<string, Attempted>;
  readonly logger: Logger;
  readonly now: () => Date;
}

/** Several within the Activity's heartbeat timeout, so that one late heartbeat does no harm. */
const HEARTBEAT_INTERVAL_MS = 2_000;
/** A tenth of this process's Activity slots, so that one account's slow receivers leave room for others. */
const ACCOUNT_ATTEMPTS_MAX = 20;
/** A session usually takes a second, so slots become free many times in this. */
const ACCOUNT_BUSY_RETRY_MS = 5_000;
/** How soon this attempt sees the reply that the running attempt waits for. */
const UNDER_WAY_RETRY_MS = 3_000;
/** A write itself waits some seconds for a lock; other errors are immediate. */
const RECORD_RETRY_MS = 500;
/** How long after the email's expiry its last outcome may still be recorded. */
const RECORD_LATE_MS = 10 * 60_000;

/**
 * One delivery attempt. Throws `EmailDeferred` until the email has its final status. Never sends a delivered or bounced
 * email again: if an outcome could not be recorded, it stays in memory, and the next run only records it.
 */
export const createAttemptDelivery = (
  dependencies: AttemptDeliveryDependencies,
): Attempt<{ readonly emailId: string }, { outcome: DeliverEmailOutcome }> => {
  const { store, sealer, now, beginner, unrecorded, logger } = dependencies;
  const { makesFirstAttempts: claimed } = beginner;
  const underWay = createAttemptsUnderWay(ACCOUNT_ATTEMPTS_MAX);
  const openDkimKey = createDkimKeys(sealer);
  const leases = createAttemptLeases({ store, logger });
  const leftOutOf = createRepetitionFilter();

  async function attemptAndSettle(email: EmailToDeliver, run: AttemptContext): Promise<DeliverEmailOutcome> {
    const known = unrecorded.get(email.id);
    if (known !== undefined) return settle(known, run);
    const kept = email.is_signed ? await keptSignedMessage(store, email.id) : undefined;
    const ready = kept ?? (await compose(await emailContent(store, email.id), openDkimKey));
    const begunAt = performance.now();
    const { holder } = leases;
    const begun = await beginAttempt(store, { emailId: email.id, holder, signedMessage: ready, now: now() });
    if (!('number' in begun)) return statusOf(begun);
    const signedMessage = begun.keptInstead ?? ready;
    const lease = leases.hold(email.id, begunAt, run.cancelled);
    try {
      const attempted = await attempt(email, { number: begun.number, signedMessage, lease }, dependencies);
      unrecorded.set(email.id, attempted);
      return await settle(attempted, run);
    } finally {
      lease.release();
    }
  }

  async function settle(attempted: Attempted, run: AttemptContext): Promise<DeliverEmailOutcome> {
    const settled = await settleOrWait(attempted, run).catch((error: unknown) => {
      forgetWhenExpired(attempted);
      throw error;
    });
    unrecorded.delete(attempted.email.id);
    settled.posts.forEach(beginner.begin);
    if ('status' in settled) return settled.status;
    throw settled.retry;
  }

  /** Another process may end the email, and this one never get it again. */
  function forgetWhenExpired(attempted: Attempted): void {
    const { id, expires_at: expiresAt } = attempted.email;
    const forget = (): void => {
      if (unrecorded.get(id) === attempted) unrecorded.delete(id);
    };
    setTimeout(forget, Math.max(Date.parse(expiresAt) - now().getTime(), 0) + RECORD_LATE_MS).unref();
  }

  /** After a failure, Temporal would give the email to another process, which does not know that the message was accepted. */
  async function settleOrWait(attempted: Attempted, run: AttemptContext): Promise<SettledAttempt> {
    const { email, number, result } = attempted;
    for (;;) {
      try {
        const remaining = remainingMs(email, now(), run);
        return await settleAttempt(store, attempted, { now: now(), remainingMs: remaining, claimed });
      } catch (error) {
        if (result.kind !== 'delivered' || run.isShuttingDown()) throw error;
        const leftOut = leftOutOf('record');
        if (leftOut !== undefined)
          logger.error({ err: error, emailId: email.id, attempt: number, leftOut }, 'cannot record a delivery yet');
      }
      await sleep(RECORD_RETRY_MS);
    }
  }

  return async ({ emailId }, run) => {
    const email = await emailToDeliver(store, emailId);
    if (email === undefined && isPastRetention(emailId, now())) return { outcome: 'deleted' };
    if (email === undefined) throw unknownId('email', emailId);
    if (email.status !== 'queued') {
      unrecorded.delete(emailId);
      return { outcome: email.status };
    }
    const { account_id: accountId } = email;
    // Temporal retried after a missed heartbeat, but the attempt still runs here: a second one would send the message twice.
    if (underWay.has(accountId, emailId)) {
      throw notYet('AttemptUnderWay', 'The previous attempt still waits for its reply.', UNDER_WAY_RETRY_MS);
    }
    if (remainingMs(email, now(), run) <= 0 && !unrecorded.has(emailId)) {
      const expired = await recordExpiry(store, { emailId, now: now(), claimed }, expiredBounce);
      if (!('posts' in expired)) return { outcome: statusOf(expired) };
      expired.posts.forEach(beginner.begin);
      return { outcome: expired.status };
    }
    if (!underWay.begin(accountId, emailId)) {
      const sentence = `The account has ${String(ACCOUNT_ATTEMPTS_MAX)} attempts under way in this process, the limit per account.`;
      throw notYet('AccountBusy', sentence, withJitter(ACCOUNT_BUSY_RETRY_MS, Math.random()));
    }
    try {
      return {
        outcome: await withHeartbeats(attemptAndSettle(email, run), () => {
          run.heartbeat();
          leases.renewSoon();
        }),
      };
    } finally {
      underWay.end(accountId, emailId);
    }
  };
};

const remainingMs = (email: EmailToDeliver, now: Date, run: AttemptContext): number =>
  Date.parse(email.expires_at) - attemptTimeMs(now, run);

/** @throws AttemptUnderWay until the lease of another process ends */
function statusOf(ended: NotFree): DeliverEmailOutcome {
  if ('status' in ended) return ended.status;
  throw notYet('AttemptUnderWay', 'Another process makes an attempt, or was killed during one.', ended.leasedForMs);
}

async function attempt(
  email: EmailToDeliver,
  { number, signedMessage, lease }: { number: number; signedMessage: string; lease: AttemptLease },
  { deliverMessage, hostname, logger }: AttemptDeliveryDependencies,
): Promise<Attempted> {
  const message = {
    envelopeFrom: `${email.id}@${email.return_path_domain}`,
    recipient: email.recipient,
    signedMessage,
    attempt: number,
  };
  const { signal, mayStillSend } = lease;
  const result = await deliverMessage(message, { hostname, signal, mayStillSend });
  const { kind: outcome, remoteMta } = result;
  logger.info({ emailId: email.id, attempt: number, outcome, remoteMta }, 'delivery attempt');
  return { email, number, result, interrupted: outcome === 'deferred' && result.reply === undefined && signal.aborted };
}

function compose(email: EmailContent, openDkimKey: OpenDkimKey): Promise<string> {
  return composeMessage(
    {
      from: { address: email.from_address, name: email.sender_name ?? undefined },
      recipient: email.recipient,
      subject: email.subject,
      text: email.body,
      html: email.html ?? undefined,
      headers: JSON.parse(email.headers) as Record<string, string>,
      messageId: email.message_id,
      date: new Date(email.created_at),
    },
    {
      domain: email.domain_name,
      selector: email.dkim_selector,
      privateKey: openDkimKey({
        sealed: email.sealed_dkim_private_key,
        context: sealingContext.dkimKey(email.domain_id),
      }),
    },
  );
}

/** Heartbeats, so that another Worker takes over a killed Worker's email after seconds instead of minutes. */
async function withHeartbeats<T>(work: Promise<T>, heartbeat: () => void): Promise<T> {
  const over = new AbortController();
  const beating = (async () => {
    while (!over.signal.aborted) {
      heartbeat();
      await sleep(HEARTBEAT_INTERVAL_MS, undefined, { signal: over.signal }).catch(() => undefined);
    }
  })();
  try {
    return await work;
  } finally {
    over.abort();
    await beating;
  }
}
