import { cancellationSignal, heartbeat } from '@temporalio/activity';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Sealer } from '../../lib/sealing.ts';
import { composeMessage } from '../delivery/compose-message.ts';
import type { DeliverMessage } from '../delivery/deliver-message.ts';
import { withJitter } from '../../lib/with-jitter.ts';
import { beginAttempt, isAttemptOpen, lastAttempt } from '../store/delivery-attempts.ts';
import {
  emailContent,
  emailToDeliver,
  keepSignedMessage,
  keptSignedMessage,
  type EmailContent,
  type EmailToDeliver,
} from '../store/emails.ts';
import { recordFinalStatus } from '../store/record-attempt.ts';
import { sealingContext } from '../store/sealed-secrets.ts';
import type { Store } from '../store/open-store.ts';
import { createAttemptsUnderWay } from './attempts-under-way.ts';
import { notYet } from '../../lib/temporal/not-yet.ts';
import { attemptTimeMs } from './attempt-time.ts';
import { expiredBounce, settleAttempt, type Attempted } from './settle-attempt.ts';
import { unknownId } from './unknown-id.ts';

export interface AttemptDeliveryDependencies {
  readonly store: Store;
  readonly sealer: Sealer;
  readonly deliverMessage: DeliverMessage;
  /** Sent in EHLO. */
  readonly hostname: string;
  readonly dispatcher: { dispatchSoon(): void };
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

/**
 * One delivery attempt. Fails as `EmailDeferred` until the email has its final status. Never sends a delivered or bounced
 * email again: if an outcome could not be recorded, it stays in memory, and the next run only records it.
 */
export const createAttemptDelivery = (dependencies: AttemptDeliveryDependencies) => {
  const { store, now, dispatcher, unrecorded } = dependencies;
  const underWay = createAttemptsUnderWay(ACCOUNT_ATTEMPTS_MAX);

  async function attemptAndSettle(email: EmailToDeliver): Promise<'delivered' | 'bounced'> {
    let attempted = unrecorded.get(email.id);
    if (attempted === undefined) {
      const begun = await attempt(email, dependencies);
      if ('status' in begun) return begun.status;
      attempted = begun;
      unrecorded.set(email.id, attempted);
    }
    const settled = await settleAttempt(store, attempted, { now: now(), remainingMs: remainingMs(email, now()) });
    unrecorded.delete(email.id);
    if ('status' in settled) return settled.status;
    throw settled.retry;
  }

  return async ({ emailId }: { emailId: string }): Promise<{ outcome: 'delivered' | 'bounced' }> => {
    const email = await emailToDeliver(store, emailId);
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
    if (remainingMs(email, now()) <= 0 && !unrecorded.has(emailId)) {
      const bounce = expiredBounce(await lastAttempt(store, emailId));
      const outcome = await recordFinalStatus(store, { emailId, status: 'bounced', bounce, now: now() });
      dispatcher.dispatchSoon();
      return { outcome };
    }
    if (!underWay.begin(accountId, emailId)) {
      const sentence = `The account has ${String(ACCOUNT_ATTEMPTS_MAX)} attempts under way in this process, the limit per account.`;
      throw notYet('AccountBusy', sentence, withJitter(ACCOUNT_BUSY_RETRY_MS, Math.random()));
    }
    try {
      return { outcome: await withHeartbeats(attemptAndSettle(email)) };
    } finally {
      underWay.end(accountId, emailId);
      // Also after a deferral, which has an event although this Activity fails.
      dispatcher.dispatchSoon();
    }
  };
};

const remainingMs = (email: EmailToDeliver, now: Date): number => Date.parse(email.expires_at) - attemptTimeMs(now);

async function attempt(
  email: EmailToDeliver,
  { store, sealer, deliverMessage, hostname, logger, now }: AttemptDeliveryDependencies,
): Promise<Attempted | { status: 'delivered' | 'bounced' }> {
  const signedMessage =
    (await keptSignedMessage(store, email.id)) ??
    (await keepSignedMessage(store, email.id, await compose(await emailContent(store, email.id), sealer)));
  const begun = await beginAttempt(store, email.id, now());
  if ('status' in begun) return begun;
  const { number } = begun;
  const message = {
    envelopeFrom: `${email.id}@${email.return_path_domain}`,
    recipient: email.recipient,
    signedMessage,
    attempt: number,
  };
  const mayStillSend = (): Promise<boolean> => isAttemptOpen(store, email.id, number);
  const signal = cancellationSignal();
  const result = await deliverMessage(message, { hostname, signal, mayStillSend });
  const { kind: outcome, remoteMta } = result;
  logger.info({ emailId: email.id, attempt: number, outcome, remoteMta }, 'delivery attempt');
  return { email, number, result, interrupted: outcome === 'deferred' && signal.aborted };
}

function compose(email: EmailContent, sealer: Sealer): Promise<string> {
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
      privateKey: sealer.open(email.sealed_dkim_private_key, sealingContext.dkimKey(email.domain_id)),
    },
  );
}

/** Heartbeats, so that another Worker takes over a killed Worker's email after seconds instead of minutes. */
async function withHeartbeats<T>(work: Promise<T>): Promise<T> {
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
