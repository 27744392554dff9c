import type { Store, StoreTransaction } from './open-store.ts';
import type { WebhookTable } from './schema.ts';

export async function insertWebhook(transaction: StoreTransaction, row: WebhookTable): Promise<void> {
  await transaction.insertInto('webhooks').values(row).execute();
}

/** False when there was none. */
export async function deleteWebhook(store: Store, accountId: string, id: string, now: Date): Promise<boolean> {
  const result = await store
    .updateTable('webhooks')
    .set({ deleted_at: now.toISOString() })
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}
