import type { Store, StoreTransaction } from './open-store.ts';
import type { ErasureMarks } from './erasure-marks.ts';
import { listedForms, type SuppressionColumns, suppressionColumns } from './suppressions.ts';
import type { DomainTable, SenderTable } from './schema.ts';

export const findSenderByAddress = (
  transaction: StoreTransaction,
  accountId: string,
  fromAddress: string,
): Promise<SenderTable | undefined> =>
  transaction
    .selectFrom('senders')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('from_address', '=', fromAddress)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();

/** The fields of a sender that POST /emails needs. */
export interface SenderWithDomain extends Pick<SenderTable, 'id' | 'from_address'>, SuppressionColumns {
  readonly domain_id: string;
  readonly domain_name: string;
  readonly domain_status: DomainTable['status'];
  readonly domain_deleted_at: string | null;
}

export const findSenderWithDomain = (
  transaction: StoreTransaction,
  accountId: string,
  {
    senderId,
    recipient,
    marks,
  }: { readonly senderId: string; readonly recipient: string; readonly marks: ErasureMarks },
): Promise<SenderWithDomain | undefined> =>
  transaction
    .selectFrom('senders')
    .innerJoin('domains', 'domains.id', 'senders.domain_id')
    .leftJoin('suppressions', (join) =>
      join
        .onRef('suppressions.account_id', '=', 'senders.account_id')
        .on('suppressions.address', 'in', listedForms(recipient, marks)),
    )
    .select([
      'senders.id',
      'senders.from_address',
      'senders.domain_id',
      'domains.name as domain_name',
      'domains.status as domain_status',
      'domains.deleted_at as domain_deleted_at',
      ...suppressionColumns,
    ])
    .where('senders.id', '=', senderId)
    .where('senders.account_id', '=', accountId)
    .where('senders.deleted_at', 'is', null)
    .executeTakeFirst();

/** Undefined if the account has no such sender. */
export const renameSender = (
  store: Store,
  { accountId, id, name }: { readonly accountId: string; readonly id: string; readonly name: string | null },
): Promise<SenderTable | undefined> =>
  store
    .updateTable('senders')
    .set({ name })
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .where('deleted_at', 'is', null)
    .returningAll()
    .executeTakeFirst();

export async function insertSender(transaction: StoreTransaction, row: SenderTable): Promise<void> {
  await transaction.insertInto('senders').values(row).execute();
}
