import type { Sealer } from '../../lib/sealing.ts';
import { inTransaction } from '../../lib/sql/transactions.ts';
import type { DeliveryResult } from '../delivery/deliver-message.ts';
import { isSandbox } from '../delivery/sandbox.ts';
import type { EventType } from '../resources/event.ts';
import { emailResource, type Bounce } from '../resources/email.ts';
import { erasedAttempt } from '../resources/erasure.ts';
import { finishAttempt, lockEmail, takeOver, type AttemptEnd, type NotFree } from './delivery-attempts.ts';
import { countOutcome } from './account-pauses.ts';
import { attemptsOf, changeEmail } from './emails.ts';
import { recordEvent } from './events.ts';
import type { Store, StoreTransaction } from './open-store.ts';
import { type Commit, deliverEmailStart, type FirstAttempt, forgetStarts, postponeStart } from './outbox.ts';
import { refusesAddress, suppressAfterBounce } from './suppressions.ts';
import type { DeliveryAttemptTable, EmailSummary } from './schema.ts';

interface Ended extends Commit {
  readonly emailId: string;
  /** Number of the attempt that ended. */
  readonly number: number;
  readonly result: DeliveryResult;
}

/** `deleted`: the email ended before, and has left the database. `posts`: webhooks to begin after the commit. */
export interface EmailEnd {
  readonly status: 'delivered' | 'bounced' | 'deleted';
  readonly posts: readonly FirstAttempt[];
}

/** The lease of the attempt had ended, and the next attempt decides. */
export type TakenOver = 'takenOver';

type FinalEnd = { readonly status: 'delivered' } | { readonly status: 'bounced'; readonly bounce: Bounce };

export type FinalStatus = Ended & FinalEnd;

/**
 * Records the attempt, the email's final status and its event in one transaction. After another process has taken the email over, only a
 * delivery ends it, unless that process has ended it.
 * @returns the email's status, which may have been final before
 */
export const recordFinalStatus = (
  store: Store,
  sealer: Sealer,
  ended: FinalStatus,
  afterDelivery?: AfterDelivery,
): Promise<EmailEnd | TakenOver> =>
  recordAttemptEnd(store, ended, async (transaction, locked): Promise<EmailEnd | TakenOver> => {
    if (ended.status === 'bounced' && locked.standing === 'takenOver') return 'takenOver';
    if (ended.status === 'bounced')
      await suppressAfterBounce(transaction, sealer, locked.email, ended.bounce, ended.now);
    const end = await endEmail(transaction, locked, ended);
    if (end.status !== 'delivered' || afterDelivery === undefined) return end;
    return { ...end, posts: [...end.posts, ...(await afterDelivery(transaction))] };
  });

/** What the same transaction records of the delivered email. @returns webhooks to begin after the commit */
export type AfterDelivery = (transaction: StoreTransaction) => Promise<readonly FirstAttempt[]>;

/**
 * Records that the email bounced while no attempt is under way: it expired, or its recipient was suppressed meanwhile.
 * @param bounceAfter of the last attempt, if there was one
 */
export const recordGivenUp = (
  store: Store,
  { emailId, now, claimed }: Commit & { readonly emailId: string },
  bounceAfter: (last: DeliveryAttemptTable | undefined) => Bounce,
): Promise<EmailEnd | NotFree> =>
  inTransaction(store, async (transaction) => {
    const free = await takeOver(transaction, emailId, now);
    if (!('email' in free)) return free;
    const attempts = await attemptsOf(transaction, emailId);
    const end = { status: 'bounced', bounce: bounceAfter(free.last), now, claimed } as const;
    return endEmail(transaction, { email: free.email, attempts }, end);
  });

/**
 * Records a deferred or unknown attempt.
 * @param retryInMs when the next attempt is due; the Workflow keeps it if it has yet to start
 * @returns webhooks to begin after the commit
 */
export const recordDeferral = (
  store: Store,
  ended: Ended & { readonly withEvent: boolean; readonly retryInMs: number },
): Promise<Pick<EmailEnd, 'posts'> | EmailEnd | TakenOver> =>
  recordAttemptEnd(store, ended, async (transaction, locked) => {
    if (locked.standing === 'takenOver') return 'takenOver';
    if (locked.standing === 'recorded') return { posts: [] };
    await postponeStart(transaction, deliverEmailStart(ended.emailId), ended.retryInMs);
    return {
      posts: ended.withEvent ? await recordEmailEvent(transaction, locked, 'email.deferred', ended) : [],
    };
  });

/** As it is after the writes of the transaction that has locked the email. */
export interface LockedEmail {
  readonly email: EmailSummary;
  readonly attempts: readonly DeliveryAttemptTable[];
}

/** State of an attempt before its end is recorded. `recorded`: the commit that recorded it has lost its answer. */
type Standing = 'started' | 'recorded' | 'takenOver';

/** Records the attempt, and calls `ofQueued` in the same transaction unless the email has its final status. */
const recordAttemptEnd = <Recorded>(
  store: Store,
  { emailId, number, result, now }: Ended,
  ofQueued: (transaction: StoreTransaction, locked: LockedEmail & { readonly standing: Standing }) => Promise<Recorded>,
): Promise<Recorded | EmailEnd> =>
  inTransaction(store, async (transaction): Promise<Recorded | EmailEnd> => {
    const email = await lockEmail(transaction, emailId);
    if (email === undefined) return { status: 'deleted', posts: [] };
    const before = await attemptsOf(transaction, emailId);
    const end = {
      ...attemptEnd(result),
      ...(email.erased_at === null ? {} : erasedAttempt),
      finished_at: now.toISOString(),
    };
    await finishAttempt(transaction, { emailId, number, end });
    if (email.status !== 'queued') {
      await forgetStarts(transaction, [deliverEmailStart(emailId).workflowId]);
      return { status: email.status, posts: [] };
    }
    const standing = standingOf(number, end, before);
    const attempts = before.map((attempt) => (attempt.number === number ? { ...attempt, ...end } : attempt));
    return ofQueued(transaction, { email, attempts, standing });
  });

function standingOf(number: number, end: AttemptEnd, attempts: readonly DeliveryAttemptTable[]): Standing {
  const attempt = attempts.find((each) => each.number === number);
  if (attempt?.outcome === 'started') return 'started';
  const isSame = attempt?.outcome === end.outcome && attempt.diagnostic === end.diagnostic;
  return isSame && attempts.at(-1) === attempt ? 'recorded' : 'takenOver';
}

/** Call it in the transaction that locked the email. It also ends the start of the email's Workflow. */
export async function endEmail(
  transaction: StoreTransaction,
  { email, attempts }: LockedEmail,
  end: Commit & FinalEnd,
): Promise<EmailEnd> {
  const { status, now } = end;
  await forgetStarts(transaction, [deliverEmailStart(email.id).workflowId]);
  const change =
    end.status === 'delivered'
      ? { status, delivered_at: now.toISOString() }
      : { status, bounce: JSON.stringify(end.bounce) };
  await changeEmail(transaction, email.id, change);
  const type = status === 'delivered' ? 'email.delivered' : 'email.bounced';
  const posts = await recordEmailEvent(transaction, { email: { ...email, ...change }, attempts }, type, end);
  // What is tried out says nothing about the addresses that the account sends to.
  if (!isSandbox(email.recipient) && (end.status === 'delivered' || refusesAddress(end.bounce)))
    await countOutcome(transaction, email.account_id, end.status, now);
  return { status, posts };
}

export async function recordEmailEvent(
  transaction: StoreTransaction,
  { email, attempts }: LockedEmail,
  type: EventType,
  { now, claimed }: Commit,
): Promise<readonly FirstAttempt[]> {
  const { account_id: accountId } = email;
  const resource = emailResource(email, attempts);
  const { posts } = await recordEvent(transaction, { accountId, type, emailId: email.id, resource, now, claimed });
  return posts;
}

export function attemptEnd(result: DeliveryResult): AttemptEnd {
  const tls = result.tls === undefined ? null : JSON.stringify(result.tls);
  const end = { outcome: result.kind, remote_mta: result.remoteMta ?? null, tls };
  switch (result.kind) {
    case 'delivered':
      return { ...end, ...columns(result.reply), diagnostic: result.reply.text };
    case 'bounced':
      return {
        ...end,
        reply_code: result.bounce.smtp_code,
        enhanced_status_code: result.bounce.enhanced_code,
        diagnostic: result.bounce.diagnostic ?? result.bounce.reason,
      };
    case 'deferred':
      return { ...end, ...columns(result.reply), diagnostic: result.diagnostic };
    case 'unknown':
      return { ...end, ...columns(undefined), diagnostic: result.diagnostic };
  }
}

const columns = (reply: { replyCode: number; enhancedCode: string | undefined } | undefined) => ({
  reply_code: reply?.replyCode ?? null,
  enhanced_status_code: reply?.enhancedCode ?? null,
});
