import type { Database } from './database.ts';
import type { Sealer } from '../lib/sealing.ts';
import { inTransaction } from '../lib/sql/transactions.ts';

export type SecretStore = ReturnType<typeof createSqlSecretStore>;

/**
 * Stores secrets that a provider shows only once. Histories contain only references to them. Each value is sealed with its
 * reference: a row that was moved to another reference does not open.
 */
export function createSqlSecretStore(database: Database, sealer: Sealer) {
  return {
    /** Replaces an earlier value. Durable once it resolves. */
    async put(ref: string, value: string): Promise<void> {
      const row = { sealed: sealer.seal(value, ref), updated_at: new Date().toISOString() };
      await database
        .insertInto('secrets')
        .values({ ref, ...row })
        .onConflict((conflict) => conflict.column('ref').doUpdateSet(row))
        .execute();
    },
    async get(ref: string): Promise<string | undefined> {
      const row = await database.selectFrom('secrets').select('sealed').where('ref', '=', ref).executeTakeFirst();
      return row && sealer.open(row.sealed, ref);
    },
    /** Succeeds if there is none. */
    async delete(ref: string): Promise<void> {
      await database.deleteFrom('secrets').where('ref', '=', ref).execute();
    },
    /** Deletes the value if it matches; one that has replaced it meanwhile stays. */
    deleteIf: (ref: string, matches: (value: string) => boolean): Promise<void> =>
      inTransaction(database, async (transaction) => {
        const row = await transaction
          .selectFrom('secrets')
          .select('sealed')
          .where('ref', '=', ref)
          .forUpdate()
          .executeTakeFirst();
        if (row === undefined || !matches(sealer.open(row.sealed, ref))) return;
        await transaction.deleteFrom('secrets').where('ref', '=', ref).execute();
      }),
  };
}
