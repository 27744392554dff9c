import { inTransaction } from '../../lib/sql/transactions.ts';
import type { Store, StoreTransaction } from './open-store.ts';
import type { DeliveryAttemptTable, EmailTable } from './schema.ts';

export type AttemptEnd = Pick<
  DeliveryAttemptTable,
  'outcome' | 'remote_mta' | 'reply_code' | 'enhanced_status_code' | 'diagnostic'
>;

/**
 * Records the start of an attempt before any connection is opened. Call it only while this process has no attempt under
 * way for the email: a started attempt then belonged to a killed process, and its outcome becomes `unknown`.
 * @returns the new attempt's number; the email's status, with nothing changed, if it is already final
 */
export const beginAttempt = (
  store: Store,
  emailId: string,
  now: Date,
): Promise<{ readonly number: number } | { readonly status: Exclude<EmailTable['status'], 'queued'> }> =>
  inTransaction(store, async (transaction) => {
    await transaction
      .updateTable('delivery_attempts')
      .set({
        outcome: 'unknown',
        diagnostic: 'The service was stopped during this attempt.',
        finished_at: now.toISOString(),
      })
      .where('email_id', '=', emailId)
      .where('outcome', '=', 'started')
      .where((where) => where.exists(queued(transaction, emailId)))
      .execute();
    // Read after a write, so that no other transaction can change the status before this one commits.
    const { status } = await transaction
      .selectFrom('emails')
      .select('status')
      .where('id', '=', emailId)
      .executeTakeFirstOrThrow();
    if (status !== 'queued') return { status };
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
      })
      .execute();
    return { number };
  });

/** False after a later attempt has declared this one lost or the email has its final status. */
export async function isAttemptOpen(store: Store, emailId: string, number: number): Promise<boolean> {
  const attempt = await store
    .selectFrom('delivery_attempts')
    .select('outcome')
    .where('email_id', '=', emailId)
    .where('number', '=', number)
    .where((where) => where.exists(queued(store, emailId)))
    .executeTakeFirst();
  return attempt?.outcome === 'started';
}

const queued = (store: Store | StoreTransaction, emailId: string) =>
  store.selectFrom('emails').select('id').where('id', '=', emailId).where('status', '=', 'queued');

/** Undefined if no attempt was made. */
export const lastAttempt = (store: Store, emailId: string): Promise<DeliveryAttemptTable | undefined> =>
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
