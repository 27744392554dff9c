import type { Store, StoreTransaction } from './open-store.ts';

/** Keeps the row, because emails and deliveries still refer to it. False if the account has no such row. */
export async function softDelete(
  store: Store | StoreTransaction,
  table: 'domains' | 'senders' | 'webhooks',
  { accountId, id, now }: { readonly accountId: string; readonly id: string; readonly now: Date },
): Promise<boolean> {
  const { numUpdatedRows } = await store
    .updateTable(table)
    .set({ deleted_at: now.toISOString() })
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}
