// An email that is to leave later waits in its own row, where it costs nothing. When its time has come, and the limits of its account allow it, the
// sweep adds it to the outbox, and it is as any other. Each change locks the email first, as the start of an attempt does, so that of an attempt and a cancellation one wins.
import { sql } from 'kysely';
import { databaseNow, inTransaction, lockName, sendAhead } from '../../lib/sql/transactions.ts';
import { bounceWithoutRefusal } from '../delivery/classify-bounce.ts';
import type { Bounce } from '../resources/email.ts';
import { attemptsOf, readableEmail, type ReadableEmails } from './emails.ts';
import type { Store, StoreTransaction } from './open-store.ts';
import { addFirstAttempts, type Commit, type FirstAttempt, firstDelivery, ROWS_COUNTED_MAX } from './outbox.ts';
import { type EmailEnd, endEmail } from './record-attempt.ts';
import { accountsWhere } from './api-keys.ts';
import { countLeaving } from './sending-limits.ts';
import type { SendingLimits } from '../resources/sending-limits.ts';

/** Call it after `countEmails`, which begins the window that it counts in. */
export const noteCount = (transaction: StoreTransaction, ids: readonly string[]): Promise<unknown> =>
  sendAhead(
    transaction,
    transaction
      .updateTable('emails')
      .set({ counted_at: databaseNow(transaction) })
      .where('id', 'in', ids),
  );

/** Each is a commit: other writers wait for it. */
const DUE_AT_ONCE = 100;

/** @param now by the database's clock */
export const accountsWithDueEmails = (store: Store, now: Date): AsyncGenerator<string> =>
  accountsWhere(
    store,
    sql<boolean>`exists (
      select 1 from emails
      where emails.account_id = accounts.id and held_until <= ${now.toISOString()} and status = 'queued')`,
  );

/** How many emails stay where they are although their time has come: the limits of their accounts do not allow more. At most `ROWS_COUNTED_MAX`. */
export async function countKeptByLimits(store: Store, now: Date): Promise<number> {
  const kept = store
    .selectFrom('emails')
    .select('id')
    // By the index, which has those of each account in the order of their times.
    .where(sql<boolean>`account_id in (select id from accounts)`)
    .where('held_until', '<=', now.toISOString())
    .where(sql<boolean>`status = 'queued'`)
    .limit(ROWS_COUNTED_MAX);
  const { rows } = await store
    .selectFrom(kept.as('matches'))
    .select(({ fn }) => fn.countAll().as('rows'))
    .executeTakeFirstOrThrow();
  return Number(rows);
}

/** `now` by the database's clock. */
export interface DueEmails extends Commit {
  readonly accountId: string;
  /** The limits of accounts without their own. */
  readonly sendingLimits: SendingLimits;
}

/**
 * Adds emails of an account whose time has come to the outbox, oldest first, as many as its limits allow; the others stay as they are.
 * @returns at most 100
 */
export const startDueEmails = (
  store: Store,
  { accountId, now, sendingLimits, claimed }: DueEmails,
): Promise<readonly FirstAttempt[]> =>
  inTransaction(store, async (transaction) => {
    // Two sweeps at once would let later ones leave first.
    await lockName(transaction, `due-emails/${accountId}`);
    const due = await transaction
      .selectFrom('emails')
      .select(['id', 'account_id', 'recipient', 'expires_at', 'counted_at'])
      .where('account_id', '=', accountId)
      .where('held_until', '<=', now.toISOString())
      .where(sql<boolean>`status = 'queued'`)
      .orderBy('held_until')
      .orderBy('id')
      .limit(DUE_AT_ONCE)
      .forUpdate()
      .skipLocked()
      .execute();
    // What has expired only bounces.
    const leaving = due.filter(({ expires_at: expiresAt }) => expiresAt > now.toISOString());
    const count = await countLeaving(transaction, accountId, sendingLimits, leaving);
    const waiting = new Set(leaving.slice(count));
    const begun = due.filter((email) => !waiting.has(email));
    if (begun.length === 0) return [];
    const ids = begun.map(({ id }) => id);
    await sendAhead(transaction, transaction.updateTable('emails').set({ held_until: null }).where('id', 'in', ids));
    return addFirstAttempts(transaction, begun.map(firstDelivery), { now, claimed });
  });

export interface EmailToChange extends ReadableEmails {
  readonly id: string;
  readonly now: Date;
}

/** `left`: an attempt has begun, or the email has its final status. Undefined for an unknown email. */
export type CancelledEmail = (Pick<EmailEnd, 'posts'> & { readonly bounce: Bounce }) | 'left' | undefined;

/** Ends an email of which no attempt has begun. One that was cancelled before stays as it is. */
export const cancelEmail = (
  store: Store,
  { now, claimed, ...asked }: EmailToChange & Commit,
): Promise<CancelledEmail> =>
  inTransaction(store, async (transaction): Promise<CancelledEmail> => {
    const email = await readableEmail(transaction, asked, asked.id).forUpdate().executeTakeFirst();
    if (email === undefined) return undefined;
    if (email.bounce !== null) {
      const bounce = JSON.parse(email.bounce) as Bounce;
      return bounce.category === 'cancelled' ? { bounce, posts: [] } : 'left';
    }
    const attempts = await attemptsOf(transaction, email.id);
    if (email.status !== 'queued' || attempts.length > 0) return 'left';
    const bounce = bounceWithoutRefusal('cancelled', {});
    const { posts } = await endEmail(transaction, { email, attempts }, { status: 'bounced', bounce, now, claimed });
    return { bounce, posts };
  });

/**
 * `left`: its time has come, or it has none, or its final status. Undefined for an unknown email.
 * @param check throws to refuse the time
 */
export const postponeEmail = (
  store: Store,
  { scheduledAt, ...asked }: EmailToChange & { readonly scheduledAt: Date },
  check: (createdAt: string) => void,
): Promise<'postponed' | 'left' | undefined> =>
  inTransaction(store, async (transaction) => {
    const email = await readableEmail(transaction, asked, asked.id).forUpdate().executeTakeFirst();
    if (email === undefined) return undefined;
    check(email.created_at);
    const before = Date.parse(email.scheduled_at ?? email.created_at);
    const lasts = Date.parse(email.expires_at) - before;
    const time = scheduledAt.toISOString();
    const { numUpdatedRows } = await transaction
      .updateTable('emails')
      .set({
        ...{ scheduled_at: time, held_until: time },
        expires_at: new Date(scheduledAt.getTime() + lasts).toISOString(),
      })
      .where('id', '=', email.id)
      .where('status', '=', 'queued')
      .where('held_until', 'is not', null)
      .executeTakeFirst();
    return numUpdatedRows === 1n ? 'postponed' : 'left';
  });
