import { sendAhead } from '../../lib/sql/transactions.ts';
import type { Store, StoreTransaction } from './open-store.ts';
import type { IdempotencyKeyTable } from './schema.ts';

/** `owner` as in the table. */
export interface KeyPlace {
  readonly owner: string;
  readonly key: string;
  /** The mark that an erasure would have left of the key; undefined for the operator's. */
  readonly mark?: string | undefined;
}

export const findIdempotencyKey = (
  store: Store | StoreTransaction,
  { owner, key, mark }: KeyPlace,
): Promise<IdempotencyKeyTable | undefined> =>
  store
    .selectFrom('idempotency_keys')
    .selectAll()
    .where('owner', '=', owner)
    .where('key', 'in', mark === undefined ? [key] : [key, mark])
    .executeTakeFirst();

/**
 * Call it as the transaction's first write, so that another process with the same key waits for the commit. False if the key
 * is taken.
 */
export async function takeIdempotencyKey(
  transaction: StoreTransaction,
  { owner, key }: KeyPlace,
  fingerprint: string,
  now: Date,
): Promise<boolean> {
  const result = await transaction
    .insertInto('idempotency_keys')
    .values({
      owner,
      key,
      fingerprint,
      response_status: 0,
      response_body: '',
      created_at: now.toISOString(),
    })
    .onConflict((conflict) => conflict.columns(['owner', 'key']).doNothing())
    .executeTakeFirst();
  return result.numInsertedOrUpdatedRows === 1n;
}

/** Call it in the transaction that took the key. */
export async function storeAnswer(
  transaction: StoreTransaction,
  { owner, key }: KeyPlace,
  answer: Pick<
    IdempotencyKeyTable,
    'response_status' | 'response_body' | 'sealed_secret' | 'secret_expires_at' | 'email_id'
  >,
): Promise<void> {
  await sendAhead(
    transaction,
    transaction.updateTable('idempotency_keys').set(answer).where('owner', '=', owner).where('key', '=', key),
  );
}

/** A replay checks the expiry itself. */
export async function eraseExpiredSecrets(store: Store, now: Date): Promise<void> {
  await store
    .updateTable('idempotency_keys')
    .set({ sealed_secret: null })
    .where('sealed_secret', 'is not', null)
    .where('secret_expires_at', '<=', now.toISOString())
    .execute();
}
