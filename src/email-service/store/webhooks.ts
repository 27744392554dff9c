import type { StoreTransaction } from './open-store.ts';
import type { WebhookTable } from './schema.ts';

export async function insertWebhook(transaction: StoreTransaction, row: WebhookTable): Promise<void> {
  await transaction.insertInto('webhooks').values(row).execute();
}
