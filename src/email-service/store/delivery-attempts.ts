import { sql } from 'kysely';
import { databaseNow, inTransaction } from '../../lib/sql/transactions.ts';
import { leaseEnd } from './attempt-leases.ts';
import { keepSignedMessage } from './emails.ts';
import type { Store, StoreTransaction } from './open-store.ts';
import type { DeliveryAttemptTable, EmailTable } from './schema.ts';

export type AttemptEnd = Pick<
  DeliveryAttemptTable,
  'outcome' | 'remote_mta' | 'reply_code' | 'enhanced_status_code' | 'diagnostic'
>;

/** Nothing was changed: the email has its final status, or an attempt is under way and its lease ends in `leasedForMs`. */
export type NotFree = { readonly status: Exclude<EmailTable['status'], 'queued'> } | { readonly leasedForMs: number };

export interface AttemptToBegin {
  readonly emailId: string;
  readonly holder: string;
  readonly signedMessage?: string;
  readonly now: Date;
}

/**
 * Records the start of an attempt before any connection is opened. Call it only while this process has no attempt under
 * way for the email. The outcome of a started attempt whose lease has ended becomes `unknown`.
 * @param holder the process, which must renew the lease
 * @param signedMessage kept with the first attempt
 * @returns the new attempt's number, and the message that was kept instead of this one: every attempt sends the same bytes
 */
export const beginAttempt = (
  store: Store,
  { emailId, holder, signedMessage, now }: AttemptToBegin,
): Promise<{ readonly number: number; readonly keptInstead?: string } | NotFree> =>
  inTransaction(store, async (transaction) => {
    const notFree = await takeOver(transaction, emailId, now);
    if (notFree !== undefined) return notFree;
    const keptInstead =
      signedMessage === undefined ? undefined : await keepSignedMessage(transaction, emailId, signedMessage);
    const { last } = await transaction
      .selectFrom('delivery_attempts')
      .select((select) => select.fn.max<number | null>('number').as('last'))
      .where('email_id', '=', emailId)
      .executeTakeFirstOrThrow();
    const number = (last ?? 0) + 1;
    await transaction
      .insertInto('delivery_attempts')
      .values({
        email_id: emailId,
        number,
        outcome: 'started',
        remote_mta: null,
        reply_code: null,
        enhanced_status_code: null,
        diagnostic: null,
        started_at: now.toISOString(),
        finished_at: null,
        lease_holder: holder,
        lease_until: leaseEnd(transaction),
      })
      .execute();
    return { number, ...(keptInstead === undefined ? {} : { keptInstead }) };
  });

/** Locks the email, so that of several processes one begins its next attempt or ends it. Undefined if nothing prevents that. */
export async function takeOver(
  transaction: StoreTransaction,
  emailId: string,
  now: Date,
): Promise<NotFree | undefined> {
  const status = await lockEmail(transaction, emailId);
  if (status === undefined) throw new Error(`The email ${emailId} has left the database.`);
  if (status !== 'queued') return { status };
  const started = transaction
    .updateTable('delivery_attempts')
    .where('email_id', '=', emailId)
    .where('outcome', '=', 'started');
  await started
    .set({
      outcome: 'unknown',
      diagnostic: 'The service was stopped during this attempt.',
      finished_at: now.toISOString(),
    })
    .where((where) =>
      where.or([where('lease_until', 'is', null), where('lease_until', '<=', databaseNow(transaction))]),
    )
    .execute();
  const running = await transaction
    .selectFrom('delivery_attempts')
    .select(sql<number>`lease_until - ${databaseNow(transaction)}`.as('leased_for_ms'))
    .where('email_id', '=', emailId)
    .where('outcome', '=', 'started')
    .executeTakeFirst();
  return running && { leasedForMs: Math.max(running.leased_for_ms, 1) };
}

/**
 * The first lock of every transaction that changes an email or its attempts.
 * @returns the email's status; undefined if it has left the database
 */
export async function lockEmail(
  transaction: StoreTransaction,
  emailId: string,
): Promise<EmailTable['status'] | undefined> {
  const email = await transaction
    .selectFrom('emails')
    .select('status')
    .where('id', '=', emailId)
    .forUpdate()
    .executeTakeFirst();
  return email?.status;
}

/** Whether the attempt has no outcome yet. Call it with the email locked. */
export async function isUnderWay(transaction: StoreTransaction, emailId: string, number: number): Promise<boolean> {
  const attempt = await transaction
    .selectFrom('delivery_attempts')
    .select('outcome')
    .where('email_id', '=', emailId)
    .where('number', '=', number)
    .executeTakeFirst();
  return attempt?.outcome === 'started';
}

/** Undefined if no attempt was made. */
export const lastAttempt = (
  store: Store | StoreTransaction,
  emailId: string,
): Promise<DeliveryAttemptTable | undefined> =>
  store
    .selectFrom('delivery_attempts')
    .selectAll()
    .where('email_id', '=', emailId)
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst();

export async function finishAttempt(
  transaction: StoreTransaction,
  attempt: { readonly emailId: string; readonly number: number; readonly end: AttemptEnd; readonly now: Date },
): Promise<void> {
  await transaction
    .updateTable('delivery_attempts')
    .set({ ...attempt.end, finished_at: attempt.now.toISOString() })
    .where('email_id', '=', attempt.emailId)
    .where('number', '=', attempt.number)
    .execute();
}
