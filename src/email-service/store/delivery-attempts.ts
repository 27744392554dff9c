import { sql } from 'kysely';
import { databaseNow, inTransaction, sendAhead } from '../../lib/sql/transactions.ts';
import { leaseEnd } from './attempt-leases.ts';
import { keepSignedMessage } from './emails.ts';
import type { Store, StoreTransaction } from './open-store.ts';
import { type DeliveryAttemptTable, type EmailSummary, type EmailTable, summaryColumns } from './schema.ts';

export type AttemptEnd = Pick<
  DeliveryAttemptTable,
  'outcome' | 'remote_mta' | 'reply_code' | 'enhanced_status_code' | 'diagnostic' | 'tls'
>;

/** Nothing was changed: the email has its final status, or an attempt is under way and its lease ends in `leasedForMs`. */
export type NotFree = { readonly status: Exclude<EmailTable['status'], 'queued'> } | { readonly leasedForMs: number };

export interface AttemptToBegin {
  readonly emailId: string;
  readonly holder: string;
  readonly signedMessage?: string;
  /** The kept message whose place this one takes. */
  readonly replaces?: string;
  readonly now: Date;
}

/**
 * Records the start of an attempt before anything of the message is sent. Call it only while this process has no attempt under
 * way for the email. The outcome of a started attempt whose lease has ended becomes `unknown`.
 * @param holder the process, which must renew the lease
 * @param signedMessage kept with the first attempt
 * @returns the new attempt's number, and the message that was kept instead of this one: every attempt sends the same bytes
 */
export const beginAttempt = (
  store: Store,
  { emailId, holder, signedMessage, replaces, now }: AttemptToBegin,
): Promise<{ readonly number: number; readonly keptInstead?: string } | NotFree> =>
  inTransaction(store, async (transaction) => {
    const free = await takeOver(transaction, emailId, now);
    if (!('email' in free)) return free;
    const keptInstead =
      signedMessage === undefined
        ? undefined
        : await keepSignedMessage(transaction, emailId, { signedMessage, replaces });
    const number = (free.last?.number ?? 0) + 1;
    const started = {
      email_id: emailId,
      number,
      outcome: 'started',
      started_at: now.toISOString(),
      lease_holder: holder,
      lease_until: leaseEnd(transaction),
    } as const;
    await sendAhead(transaction, transaction.insertInto('delivery_attempts').values(started));
    return { number, ...(keptInstead === undefined ? {} : { keptInstead }) };
  });

/** An email without an attempt under way. `last`: its last attempt, if one was made. */
export interface FreeEmail {
  readonly email: EmailSummary;
  readonly last: DeliveryAttemptTable | undefined;
}

/** Locks the email, so that of several processes one begins its next attempt or ends it. */
export async function takeOver(
  transaction: StoreTransaction,
  emailId: string,
  now: Date,
): Promise<NotFree | FreeEmail> {
  const email = await lockEmail(transaction, emailId);
  if (email === undefined) throw new Error(`The email ${emailId} has left the database.`);
  if (email.status !== 'queued') return { status: email.status };
  // Only the last one can be under way. Locked: its process may renew the lease at this moment.
  const row = await transaction
    .selectFrom('delivery_attempts')
    .selectAll()
    .select(sql<number | null>`lease_until - ${databaseNow(transaction)}`.as('leased_for_ms'))
    .where('email_id', '=', emailId)
    .orderBy('number', 'desc')
    .limit(1)
    .forUpdate()
    .executeTakeFirst();
  if (row?.outcome !== 'started') return { email, last: row };
  const { leased_for_ms: leasedForMs, ...last } = row;
  if (leasedForMs !== null && leasedForMs > 0) return { leasedForMs };
  const diagnostic = 'The service was stopped during this attempt.';
  const end = { outcome: 'unknown', diagnostic, finished_at: now.toISOString() } as const;
  await finishAttempt(transaction, { emailId, number: last.number, end });
  return { email, last: { ...last, ...end } };
}

/** The first lock of every transaction that changes an email or its attempts. Undefined if the email has left the database. */
export const lockEmail = (transaction: StoreTransaction, emailId: string): Promise<EmailSummary | undefined> =>
  transaction.selectFrom('emails').select(summaryColumns).where('id', '=', emailId).forUpdate().executeTakeFirst();

export async function finishAttempt(
  transaction: StoreTransaction,
  attempt: {
    readonly emailId: string;
    readonly number: number;
    readonly end: Partial<AttemptEnd> & Pick<DeliveryAttemptTable, 'finished_at'>;
  },
): Promise<void> {
  await sendAhead(
    transaction,
    transaction
      .updateTable('delivery_attempts')
      .set(attempt.end)
      .where('email_id', '=', attempt.emailId)
      .where('number', '=', attempt.number),
  );
}
