// The content of an email to several recipients, each of which is an email with a row of its own.
import { sql } from 'kysely';
import type { Store, StoreTransaction } from './open-store.ts';
import { suppressedForm } from './suppressions.ts';

/** The ids of what these emails share with others. */
export async function sharedContentsOf(
  transaction: StoreTransaction,
  emailIds: readonly string[],
): Promise<readonly string[]> {
  const shared = await transaction
    .selectFrom('emails')
    .select('content_id')
    .where('id', 'in', emailIds)
    .where('content_id', 'is not', null)
    .execute();
  return [...new Set(shared.flatMap(({ content_id: id }) => (id === null ? [] : [id])))];
}

/** Deletes those of which no email is left, or only such whose content was erased. */
export async function deleteUnusedContents(transaction: StoreTransaction, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const users = sql`select 1 from emails where emails.content_id = shared_contents.id and emails.content_erased_at is null`;
  await transaction
    .deleteFrom('shared_contents')
    .where('id', 'in', ids)
    .where(sql<boolean>`not exists (${users})`)
    .execute();
}

/** How many emails of these contents are queued, but those to the address. */
export async function countQueuedOthers(
  store: Store,
  emails: readonly { readonly content_id: string | null }[],
  recipient: string,
): Promise<number> {
  const contents = emails.flatMap(({ content_id: id }) => (id === null ? [] : [id]));
  if (contents.length === 0) return 0;
  const others = await store
    .selectFrom('emails')
    .select('id')
    .where('content_id', 'in', contents)
    .where('status', '=', 'queued')
    .where(sql<boolean>`lower(recipient) <> ${suppressedForm(recipient)}`)
    .execute();
  return others.length;
}

/** Of an email: its header names all recipients, so its content cannot be erased while one of them is to get it. */
export const noOtherIsQueued = sql<boolean>`not exists (
  select 1 from emails as other where other.content_id = emails.content_id and other.status = 'queued')`;

/** Also for the other recipients: the header names the erased one. */
export async function eraseSharedContents(
  transaction: StoreTransaction,
  emailIds: readonly string[],
  at: string,
): Promise<void> {
  const contents = await sharedContentsOf(transaction, emailIds);
  if (contents.length === 0) return;
  await transaction
    .updateTable('emails')
    .set({ signed_message: null, attachments: null, content_erased_at: at })
    .where('content_id', 'in', contents)
    .where('content_erased_at', 'is', null)
    .execute();
  await deleteUnusedContents(transaction, contents);
}
