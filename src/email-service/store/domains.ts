import type { Store, StoreTransaction } from './open-store.ts';
import type { DomainTable } from './schema.ts';

export const findDomain = (store: Store, accountId: string, id: string): Promise<DomainTable | undefined> =>
  store
    .selectFrom('domains')
    .selectAll()
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();

/** @param name lower case */
export const findDomainByName = (
  store: Store | StoreTransaction,
  accountId: string,
  name: string,
): Promise<Pick<DomainTable, 'id' | 'status'> | undefined> =>
  store
    .selectFrom('domains')
    .select(['id', 'status'])
    .where('account_id', '=', accountId)
    .where('name', '=', name)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();

export async function insertDomain(transaction: StoreTransaction, row: DomainTable): Promise<void> {
  await transaction.insertInto('domains').values(row).execute();
}

/** False when there was none. The row stays, because queued emails are still signed with its key. */
export async function deleteDomain(store: Store, accountId: string, id: string, now: Date): Promise<boolean> {
  const result = await store
    .updateTable('domains')
    .set({ deleted_at: now.toISOString() })
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}
