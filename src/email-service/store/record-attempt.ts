import { inTransaction } from '../../lib/sql/transactions.ts';
import type { DeliveryResult } from '../delivery/deliver-message.ts';
import { EventType } from '../resources/event.ts';
import type { Bounce } from '../resources/email.ts';
import {
  finishAttempt,
  isUnderWay,
  lastAttempt,
  lockEmail,
  takeOver,
  type AttemptEnd,
  type NotFree,
} from './delivery-attempts.ts';
import { emailResourceNow, markBounced, markDelivered } from './emails.ts';
import { recordEvent } from './events.ts';
import type { Store, StoreTransaction } from './open-store.ts';
import { deliverEmailStart, type FirstAttempt, forgetStarts, postponeStart } from './outbox.ts';
import type { DeliveryAttemptTable } from './schema.ts';

interface Ended {
  readonly emailId: string;
  /** Of the attempt that ended. */
  readonly number: number;
  readonly result: DeliveryResult;
  readonly now: Date;
  /** Whether this process makes the first posts of the event. @default false */
  readonly claimed?: boolean | undefined;
}

/** `deleted`: the email ended before, and has left the database. `posts`: webhooks to begin after the commit. */
export interface EmailEnd {
  readonly status: 'delivered' | 'bounced' | 'deleted';
  readonly posts: readonly FirstAttempt[];
}

/** The lease of the attempt had ended, and the next attempt decides. */
export type TakenOver = 'takenOver';

export type FinalStatus = Ended &
  ({ readonly status: 'delivered' } | { readonly status: 'bounced'; readonly bounce: Bounce });

/**
 * Records the attempt, the email's final status and its event in one transaction, which also ends the start of its Workflow. Only
 * a delivery counts after another process has taken the email over.
 * @returns the email's status, which may have been final before
 */
export const recordFinalStatus = (store: Store, ended: FinalStatus): Promise<EmailEnd | TakenOver> =>
  recordEnd(store, ended, async (transaction, wasTakenOver): Promise<EmailEnd | TakenOver> => {
    const { emailId, now, claimed } = ended;
    if (ended.status === 'bounced' && wasTakenOver) return 'takenOver';
    await forgetStarts(transaction, [deliverEmailStart(emailId).workflowId]);
    if (ended.status === 'bounced') return bounceEmail(transaction, { emailId, bounce: ended.bounce, now, claimed });
    await markDelivered(transaction, emailId, now);
    const type = EventType.emailDelivered;
    return { status: 'delivered', posts: await recordEmailEvent(transaction, { emailId, type, now, claimed }) };
  });

/** Records the attempt, and calls `ofQueued` in the same transaction unless the email has its final status. */
const recordEnd = <Recorded>(
  store: Store,
  ended: Ended,
  ofQueued: (transaction: StoreTransaction, wasTakenOver: boolean) => Promise<Recorded>,
): Promise<Recorded | EmailEnd> =>
  inTransaction(store, async (transaction): Promise<Recorded | EmailEnd> => {
    const { emailId, number, result, now } = ended;
    const status = await lockEmail(transaction, emailId);
    if (status === undefined) return { status: 'deleted', posts: [] };
    const wasTakenOver = !(await isUnderWay(transaction, emailId, number));
    await finishAttempt(transaction, { emailId, number, end: attemptEnd(result), now });
    if (status === 'queued') return ofQueued(transaction, wasTakenOver);
    await forgetStarts(transaction, [deliverEmailStart(emailId).workflowId]);
    return { status, posts: [] };
  });

/**
 * Records that the email expired while no attempt is under way.
 * @param bounceAfter of the last attempt, if there was one
 */
export const recordExpiry = (
  store: Store,
  { emailId, now, claimed }: Pick<Ended, 'emailId' | 'now' | 'claimed'>,
  bounceAfter: (last: DeliveryAttemptTable | undefined) => Bounce,
): Promise<EmailEnd | NotFree> =>
  inTransaction(store, async (transaction) => {
    const notFree = await takeOver(transaction, emailId, now);
    if (notFree !== undefined) return notFree;
    const bounce = bounceAfter(await lastAttempt(transaction, emailId));
    return bounceEmail(transaction, { emailId, bounce, now, claimed });
  });

async function bounceEmail(
  transaction: StoreTransaction,
  { emailId, bounce, now, claimed }: Pick<Ended, 'emailId' | 'now' | 'claimed'> & { readonly bounce: Bounce },
): Promise<EmailEnd> {
  await markBounced(transaction, emailId, bounce);
  const type = EventType.emailBounced;
  return { status: 'bounced', posts: await recordEmailEvent(transaction, { emailId, type, now, claimed }) };
}

/**
 * Records a deferred or unknown attempt.
 * @param retryInMs when the next attempt is due; the Workflow keeps it if it has yet to start
 * @returns webhooks to begin after the commit
 */
export const recordDeferral = (
  store: Store,
  ended: Ended & { readonly withEvent: boolean; readonly retryInMs: number },
): Promise<Pick<EmailEnd, 'posts'> | EmailEnd | TakenOver> =>
  recordEnd(store, ended, async (transaction, wasTakenOver) => {
    if (wasTakenOver) return 'takenOver';
    await postponeStart(transaction, deliverEmailStart(ended.emailId), ended.retryInMs);
    const type = EventType.emailDeferred;
    return { posts: ended.withEvent ? await recordEmailEvent(transaction, { ...ended, type }) : [] };
  });

async function recordEmailEvent(
  transaction: StoreTransaction,
  { emailId, type, now, claimed = false }: Pick<Ended, 'emailId' | 'now' | 'claimed'> & { readonly type: EventType },
): Promise<readonly FirstAttempt[]> {
  const resource = await emailResourceNow(transaction, emailId);
  const { account_id: accountId } = await transaction
    .selectFrom('emails')
    .select('account_id')
    .where('id', '=', emailId)
    .executeTakeFirstOrThrow();
  const { posts } = await recordEvent(transaction, { accountId, type, resource, now, claimed });
  return posts;
}

export function attemptEnd(result: DeliveryResult): AttemptEnd {
  const end = { outcome: result.kind, remote_mta: result.remoteMta ?? null };
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
