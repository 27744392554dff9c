import { type RawBuilder, sql } from 'kysely';
import { inSnapshot, sendAhead } from '../../lib/sql/transactions.ts';
import type { DomainRecord } from '../resources/domain.ts';
import { type AttachmentsToStore, insertAttachments } from './attachments.ts';
import type { Store, StoreTransaction } from './open-store.ts';
import { suppressionColumns } from './suppressions.ts';
import {
  type DeliveryAttemptTable,
  type EmailRecipient,
  type EmailSummary,
  type EmailTable,
  type SharedContentTable,
  summaryColumns,
} from './schema.ts';

/** In statements of bounded size. */
const ROWS_AT_ONCE = 500;

export async function insertEmails(
  transaction: StoreTransaction,
  rows: readonly EmailTable[],
  shared: readonly SharedContentTable[],
  attachments: readonly AttachmentsToStore[],
): Promise<void> {
  for (const each of attachments) await insertAttachments(transaction, each);
  for (const page of pages(shared))
    await sendAhead(transaction, transaction.insertInto('shared_contents').values(page));
  for (const page of pages(rows)) await sendAhead(transaction, transaction.insertInto('emails').values(page));
  const tagged = rows.flatMap(({ id, tags, account_id }) =>
    (JSON.parse(tags) as readonly string[]).map((tag) => ({ email_id: id, tag, account_id })),
  );
  for (const page of pages(tagged)) await sendAhead(transaction, transaction.insertInto('email_tags').values(page));
}

function* pages<Row>(rows: readonly Row[]): Generator<readonly Row[]> {
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) yield rows.slice(at, at + ROWS_AT_ONCE);
}

/** Which emails a caller may read. */
export interface ReadableEmails {
  readonly accountId: string;
  /** The only domain whose emails it may read; undefined for all of the account. */
  readonly domainId?: string | undefined;
}

/** A condition for emails: sent by a sender of the domain. Checked row by row, because an index would cost each email a write. */
export const sentFrom = (domainId: string): RawBuilder<boolean> =>
  sql<boolean>`exists (select 1 from senders where senders.id = emails.sender_id and senders.domain_id = ${domainId})`;

/** The email with this id, if the caller may read it. */
export const readableEmail = (transaction: StoreTransaction, { accountId, domainId }: ReadableEmails, id: string) =>
  transaction
    .selectFrom('emails')
    .select(summaryColumns)
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .$if(domainId !== undefined, (query) => query.where(sentFrom(domainId ?? '')));

/** In one snapshot, so that the status never contradicts the attempts. */
export function findEmail(
  store: Store,
  caller: ReadableEmails,
  id: string,
): Promise<
  | {
      email: EmailSummary & Pick<EmailTable, 'attachments'>;
      attempts: readonly DeliveryAttemptTable[];
      recipients: readonly EmailRecipient[];
    }
  | undefined
> {
  return inSnapshot(store, async (transaction) => {
    const email = await readableEmail(transaction, caller, id).select('attachments').executeTakeFirst();
    if (email === undefined) return undefined;
    const attempts = await attemptsOf(transaction, id);
    const recipients = email.content_id === null ? [] : await recipientsOf(transaction, email.content_id);
    return { email, attempts, recipients };
  });
}

export const attemptsOf = (
  store: Store | StoreTransaction,
  emailId: string,
): Promise<readonly DeliveryAttemptTable[]> =>
  store.selectFrom('delivery_attempts').selectAll().where('email_id', '=', emailId).orderBy('number').execute();

const recipientsOf = (transaction: StoreTransaction, contentId: string): Promise<readonly EmailRecipient[]> =>
  transaction
    .selectFrom('emails')
    .select(['id', 'recipient', 'role', 'status'])
    .where('content_id', '=', contentId)
    .orderBy('id')
    .execute();

const withSenderAndDomain = (store: Store) =>
  store
    .selectFrom('emails')
    .innerJoin('senders', 'senders.id', 'emails.sender_id')
    .innerJoin('domains', 'domains.id', 'senders.domain_id');

/** Without the content, which an attempt need not hold in memory. Undefined for an unknown id. `is_signed`: true or 1, false or 0. */
export const emailToDeliver = (store: Store, emailId: string) =>
  withSenderAndDomain(store)
    .innerJoin('accounts', 'accounts.id', 'emails.account_id')
    .leftJoin('suppressions', (join) =>
      join
        .onRef('suppressions.account_id', '=', 'emails.account_id')
        .on('suppressions.address', '=', sql`lower(emails.recipient)`),
    )
    .select((email) => [
      'emails.id',
      'emails.account_id',
      'emails.content_id',
      'emails.attachments',
      'emails.recipient',
      'emails.status',
      'emails.expires_at',
      'accounts.paused_at',
      'accounts.sealed_erasure_key',
      sql<boolean | number>`exists (select 1 from erasures where erasures.account_id = emails.account_id)`.as(
        'has_erased',
      ),
      'domains.return_path_domain',
      'domains.name as domain_name',
      'domains.dkim_selector',
      'domains.status as domain_status',
      'domains.tls as domain_tls',
      'domains.deleted_at as domain_deleted_at',
      'emails.suppression_override',
      ...suppressionColumns,
      email('emails.signed_message', 'is not', null).as('is_signed'),
    ])
    .where('emails.id', '=', emailId)
    .executeTakeFirst();

export type EmailToDeliver = NonNullable<Awaited<ReturnType<typeof emailToDeliver>>>;

/** What decides whether a report about the email is taken; undefined for an unknown id. */
export const reportedEmail = (store: Store, emailId: string) =>
  withSenderAndDomain(store)
    .select(['emails.status', 'domains.return_path_domain'])
    .where('emails.id', '=', emailId)
    .executeTakeFirst();

export const emailContent = (store: Store, emailId: string) =>
  withSenderAndDomain(store)
    .leftJoin('shared_contents', 'shared_contents.id', 'emails.content_id')
    .select([
      'shared_contents.to_recipients',
      'shared_contents.cc_recipients',
      'shared_contents.body as shared_body',
      'shared_contents.html as shared_html',
      'shared_contents.headers as shared_headers',
      'emails.recipient',
      'emails.subject',
      'emails.body',
      'emails.html',
      'emails.headers',
      'emails.attachments',
      'emails.message_id',
      'emails.created_at',
      'emails.scheduled_at',
      'senders.from_address',
      'senders.name as sender_name',
      'domains.id as domain_id',
      'domains.name as domain_name',
      'domains.dkim_selector',
      'domains.sealed_dkim_private_key',
    ])
    .where('emails.id', '=', emailId)
    .executeTakeFirstOrThrow();

export type EmailContent = Awaited<ReturnType<typeof emailContent>>;

/** The records of the email's domain. */
export async function recordsOfSender(store: Store, emailId: string): Promise<readonly DomainRecord[]> {
  const { records } = await withSenderAndDomain(store)
    .select('domains.records')
    .where('emails.id', '=', emailId)
    .executeTakeFirstOrThrow();
  return JSON.parse(records) as DomainRecord[];
}

/** Undefined until the first attempt has begun. */
export async function keptSignedMessage(store: Store | StoreTransaction, emailId: string): Promise<string | undefined> {
  const { signed_message: kept } = await store
    .selectFrom('emails')
    .select('signed_message')
    .where('id', '=', emailId)
    .executeTakeFirstOrThrow();
  return kept ?? undefined;
}

/** Stores the message unless another than `replaces` is stored. @returns the one that was stored before */
export async function keepSignedMessage(
  transaction: StoreTransaction,
  emailId: string,
  { signedMessage, replaces }: { readonly signedMessage: string; readonly replaces: string | undefined },
): Promise<string | undefined> {
  const { numUpdatedRows } = await transaction
    .updateTable('emails')
    .set({ signed_message: signedMessage })
    .where('id', '=', emailId)
    .where((where) =>
      replaces === undefined ? where('signed_message', 'is', null) : where('signed_message', '=', replaces),
    )
    .executeTakeFirst();
  return numUpdatedRows === 1n ? undefined : keptSignedMessage(transaction, emailId);
}

/** Call it in the transaction that locked the email. */
export async function changeEmail(
  transaction: StoreTransaction,
  emailId: string,
  change: Partial<Pick<EmailTable, 'status' | 'delivered_at' | 'bounce' | 'late_bounce' | 'complaint'>>,
): Promise<void> {
  await sendAhead(transaction, transaction.updateTable('emails').set(change).where('id', '=', emailId));
}
