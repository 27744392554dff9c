import type { Bounce, EmailResource } from '../resources/email.ts';
import { emailResource } from '../resources/email.ts';
import type { Store, StoreTransaction } from './open-store.ts';

/** An email with what its sender and domain add to it. Undefined for an unknown id. */
export const emailToDeliver = (store: Store, emailId: string) =>
  store
    .selectFrom('emails')
    .innerJoin('senders', 'senders.id', 'emails.sender_id')
    .innerJoin('domains', 'domains.id', 'senders.domain_id')
    .selectAll('emails')
    .select([
      'senders.from_address',
      'senders.name as sender_name',
      'domains.id as domain_id',
      'domains.name as domain_name',
      'domains.dkim_selector',
      'domains.sealed_dkim_private_key',
      'domains.return_path_domain',
    ])
    .where('emails.id', '=', emailId)
    .executeTakeFirst();

export type EmailToDeliver = NonNullable<Awaited<ReturnType<typeof emailToDeliver>>>;

/** Keeps the first message composed for the email. @returns the one kept, which is what every attempt sends. */
export async function keepSignedMessage(store: Store, emailId: string, signedMessage: string): Promise<string> {
  await store
    .updateTable('emails')
    .set({ signed_message: signedMessage })
    .where('id', '=', emailId)
    .where('signed_message', 'is', null)
    .execute();
  const { signed_message: kept } = await store
    .selectFrom('emails')
    .select('signed_message')
    .where('id', '=', emailId)
    .executeTakeFirstOrThrow();
  return kept ?? signedMessage;
}

/** @returns false when the email had its final status already; nothing was changed then */
export async function markDelivered(transaction: StoreTransaction, emailId: string, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await transaction
    .updateTable('emails')
    .set({ status: 'delivered', delivered_at: now.toISOString() })
    .where('id', '=', emailId)
    .where('status', '=', 'queued')
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** @returns false when the email had its final status already; nothing was changed then */
export async function markBounced(transaction: StoreTransaction, emailId: string, bounce: Bounce): Promise<boolean> {
  const { numUpdatedRows } = await transaction
    .updateTable('emails')
    .set({ status: 'bounced', bounce: JSON.stringify(bounce) })
    .where('id', '=', emailId)
    .where('status', '=', 'queued')
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** The email as the API shows it, as of this transaction. */
export async function emailResourceNow(transaction: StoreTransaction, emailId: string): Promise<EmailResource> {
  const email = await transaction.selectFrom('emails').selectAll().where('id', '=', emailId).executeTakeFirstOrThrow();
  const attempts = await transaction
    .selectFrom('delivery_attempts')
    .selectAll()
    .where('email_id', '=', emailId)
    .execute();
  return emailResource(email, attempts);
}
