import { inTransaction, lockName } from '../../lib/sql/transactions.ts';
import { newId } from '../resources/resource-ids.ts';
import type { Store, StoreTransaction } from './open-store.ts';
import type { AccountTable, ApiKeyTable } from './schema.ts';

/** Undefined for unknown and revoked keys. */
export const findAccountOfToken = (
  store: Store,
  tokenSha256: string,
): Promise<Pick<ApiKeyTable, 'id' | 'account_id' | 'scopes'> | undefined> =>
  store
    .selectFrom('api_keys')
    .select(['id', 'account_id', 'scopes'])
    .where('token_sha256', '=', tokenSha256)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();

export const readAccount = (store: Store | StoreTransaction, id: string): Promise<Pick<AccountTable, 'id' | 'name'>> =>
  store.selectFrom('accounts').select(['id', 'name']).where('id', '=', id).executeTakeFirstOrThrow();

/** @param name the caller's name for the account */
export const findAccountByName = (store: Store, name: string): Promise<Pick<AccountTable, 'id'> | undefined> =>
  store.selectFrom('accounts').select('id').where('name', '=', name).executeTakeFirst();

/** @param name the caller's name for the account; undefined for an account of its own, named after its id */
export async function getOrCreateAccount(
  transaction: StoreTransaction,
  name: string | undefined,
  now: Date,
): Promise<Pick<AccountTable, 'id' | 'name'>> {
  const id = newId('acc');
  const asked = name ?? id;
  await transaction
    .insertInto('accounts')
    .values({ id, name: asked, created_at: now.toISOString() })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
  return transaction.selectFrom('accounts').select(['id', 'name']).where('name', '=', asked).executeTakeFirstOrThrow();
}

/** Inserts a key. False if its parent has been revoked. */
export async function insertApiKey(transaction: StoreTransaction, row: ApiKeyTable): Promise<boolean> {
  if (row.parent_id !== null) {
    await lockFamilies(transaction, row.account_id);
    const parent = await transaction
      .selectFrom('api_keys')
      .select('id')
      .where('id', '=', row.parent_id)
      .where('revoked_at', 'is', null)
      .executeTakeFirst();
    if (parent === undefined) return false;
  }
  await transaction.insertInto('api_keys').values(row).execute();
  return true;
}

/**
 * Revokes a key and every key that descends from it. False if the key does not exist or is already revoked.
 *
 * @param accountId undefined for any account
 */
export const revokeApiKey = (store: Store, id: string, accountId: string | undefined, now: Date): Promise<boolean> =>
  inTransaction(store, async (transaction) => {
    const key = await transaction.selectFrom('api_keys').select('account_id').where('id', '=', id).executeTakeFirst();
    if (key === undefined) return false;
    if (accountId !== undefined && key.account_id !== accountId) return false;
    await lockFamilies(transaction, key.account_id);
    const revoked = await transaction
      .withRecursive('family(id)', (family) =>
        family
          .selectFrom('api_keys')
          .select('api_keys.id as id')
          .where('api_keys.id', '=', id)
          .unionAll(
            family
              .selectFrom('family')
              .innerJoin('api_keys', 'api_keys.parent_id', 'family.id')
              .select('api_keys.id as id'),
          ),
      )
      .updateTable('api_keys')
      .set({ revoked_at: now.toISOString() })
      .where('id', 'in', (family) => family.selectFrom('family').select('family.id'))
      .where('revoked_at', 'is', null)
      .returning('id')
      .execute();
    return revoked.some((each) => each.id === id);
  });

/** A key must not be created by a key whose revocation has already listed its descendants. */
const lockFamilies = (transaction: StoreTransaction, accountId: string): Promise<void> =>
  lockName(transaction, `api-keys/${accountId}`);
