import { newId } from '../resources/resource-ids.ts';
import type { Store, StoreTransaction } from './open-store.ts';
import type { AccountTable, ApiKeyTable } from './schema.ts';

/** Undefined for unknown and revoked keys. */
export const findAccountOfToken = (
  store: Store,
  tokenSha256: string,
): Promise<Pick<ApiKeyTable, 'id' | 'account_id'> | undefined> =>
  store
    .selectFrom('api_keys')
    .select(['id', 'account_id'])
    .where('token_sha256', '=', tokenSha256)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();

export const readAccount = (store: Store | StoreTransaction, id: string): Promise<Pick<AccountTable, 'id' | 'name'>> =>
  store.selectFrom('accounts').select(['id', 'name']).where('id', '=', id).executeTakeFirstOrThrow();

/** @param name the caller's name for the account */
export const findAccountByName = (store: Store, name: string): Promise<Pick<AccountTable, 'id'> | undefined> =>
  store.selectFrom('accounts').select('id').where('name', '=', name).executeTakeFirst();

export async function getOrCreateAccount(
  transaction: StoreTransaction,
  name: string,
  now: Date,
): Promise<Pick<AccountTable, 'id' | 'name'>> {
  await transaction
    .insertInto('accounts')
    .values({ id: newId('acc'), name, created_at: now.toISOString() })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
  return transaction.selectFrom('accounts').select(['id', 'name']).where('name', '=', name).executeTakeFirstOrThrow();
}

export async function insertApiKey(transaction: StoreTransaction, row: ApiKeyTable): Promise<void> {
  await transaction.insertInto('api_keys').values(row).execute();
}

/** False if the key does not exist or is already revoked. @param accountId undefined for any account */
export async function revokeApiKey(
  store: Store,
  id: string,
  accountId: string | undefined,
  now: Date,
): Promise<boolean> {
  const result = await store
    .updateTable('api_keys')
    .set({ revoked_at: now.toISOString() })
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .$if(accountId !== undefined, (update) => update.where('account_id', '=', accountId ?? ''))
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}
