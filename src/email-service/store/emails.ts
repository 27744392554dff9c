import type { Store, StoreTransaction } from './open-store.ts';
import type { DeliveryAttemptTable, EmailTable } from './schema.ts';

/** What GET shows: everything but the content and its signed form, which can be megabytes. */
export type EmailSummary = Omit<EmailTable, 'body' | 'html' | 'headers' | 'signed_message'>;

export const summaryColumns = [
  'id',
  'account_id',
  'sender_id',
  'recipient',
  'subject',
  'metadata',
  'status',
  'message_id',
  'bounce',
  'created_at',
  'expires_at',
  'delivered_at',
] as const satisfies readonly (keyof EmailSummary)[];

export async function insertEmail(transaction: StoreTransaction, row: EmailTable): Promise<void> {
  await transaction.insertInto('emails').values(row).execute();
}

/** The email with its attempts, from one snapshot: a status never contradicts them. */
export function findEmail(
  store: Store,
  accountId: string,
  id: string,
): Promise<{ email: EmailSummary; attempts: readonly DeliveryAttemptTable[] } | undefined> {
  return store.transaction().execute(async (transaction) => {
    const email = await transaction
      .selectFrom('emails')
      .select(summaryColumns)
      .where('id', '=', id)
      .where('account_id', '=', accountId)
      .executeTakeFirst();
    if (email === undefined) return undefined;
    const attempts = await transaction
      .selectFrom('delivery_attempts')
      .selectAll()
      .where('email_id', '=', id)
      .orderBy('number')
      .execute();
    return { email, attempts };
  });
}
