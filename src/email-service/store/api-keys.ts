import type { RawBuilder } from 'kysely';
import { pagesOf } from '../../lib/sql/pages-of.ts';
import { inTransaction, lockName } from '../../lib/sql/transactions.ts';
import type { Sealer } from '../../lib/sealing.ts';
import { newId } from '../resources/resource-ids.ts';
import { newSealedErasureKey } from './erasure-marks.ts';
import type { Store, StoreTransaction } from './open-store.ts';
import type { Account, AccountTable, ApiKeyTable } from './schema.ts';
import { type CountRow, countSelection } from './sending-limits.ts';

/** `last_used_at` is this close to the last use, so that a busy key costs one write an hour and not one a request. */
const USE_RESOLUTION_MS = 60 * 60_000;

const presentedColumns = ['id', 'account_id', 'scopes', 'domain_id', 'expires_at', 'last_used_at'] as const;

/** Whether an account may send, when its key was read. */
export type AccountStanding = Pick<AccountTable, 'paused_at' | 'pause_reason' | 'sealed_erasure_key'> & CountRow;

export type PresentedKey = Pick<ApiKeyTable, (typeof presentedColumns)[number]> & AccountStanding;

/** Undefined for unknown and revoked keys. With the account's standing, so that its refusal needs no other query. */
export const findKeyOfToken = (store: Store, tokenSha256: string): Promise<PresentedKey | undefined> =>
  store
    .selectFrom('api_keys')
    .innerJoin('accounts', 'accounts.id', 'api_keys.account_id')
    .leftJoin('sending_limits', 'sending_limits.account_id', 'api_keys.account_id')
    .select([
      ...presentedColumns.map((column) => `api_keys.${column}` as const),
      ...(['accounts.paused_at', 'accounts.pause_reason', 'accounts.sealed_erasure_key'] as const),
      ...countSelection(store),
    ])
    .where('token_sha256', '=', tokenSha256)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();

/** Writes only if the use that the database knows is older than the resolution. */
export async function noteKeyUse(
  store: Store,
  { id, last_used_at: noted }: Pick<PresentedKey, 'id' | 'last_used_at'>,
  now: Date,
): Promise<void> {
  const oldest = new Date(now.getTime() - USE_RESOLUTION_MS).toISOString();
  if (noted !== null && noted > oldest) return;
  await store
    .updateTable('api_keys')
    .set({ last_used_at: now.toISOString() })
    .where('id', '=', id)
    // Of many requests at once, in all processes, one writes.
    .where((key) => key.or([key('last_used_at', 'is', null), key('last_used_at', '<=', oldest)]))
    .execute();
}

export const readAccount = (store: Store | StoreTransaction, id: string): Promise<Account> =>
  store.selectFrom('accounts').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

const PAGE_ROWS = 1_000;

/** The ids of the accounts that fulfil the condition. */
export async function* accountsWhere(store: Store, only: RawBuilder<boolean>): AsyncGenerator<string> {
  const accounts = { table: 'accounts', key: ['id'], columns: ['id'], only };
  for await (const page of pagesOf<{ id: string }>(store, accounts, { limit: PAGE_ROWS }))
    yield* page.map(({ id }) => id);
}

/** @param name the caller's name for the account */
export const findAccountByName = (store: Store, name: string): Promise<Pick<AccountTable, 'id'> | undefined> =>
  store.selectFrom('accounts').select('id').where('name', '=', name).executeTakeFirst();

/** @param name the caller's name for the account; undefined for an account of its own, named after its id */
export async function getOrCreateAccount(
  transaction: StoreTransaction,
  name: string | undefined,
  { sealer, now }: { readonly sealer: Sealer; readonly now: Date },
): Promise<Pick<AccountTable, 'id' | 'name'>> {
  const id = newId('acc');
  const asked = name ?? id;
  await transaction
    .insertInto('accounts')
    .values({
      ...{ id, name: asked, created_at: now.toISOString() },
      sealed_erasure_key: newSealedErasureKey(sealer, id),
    })
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
