import type { Database } from './database.ts';
import type { Sealer } from '../lib/sealing.ts';
import { inTransaction } from '../lib/sql/transactions.ts';
import type { SecretStore } from './secret-store.ts';

/** Each value is sealed with its reference: a row that was moved to another reference does not open. */
export function createSqlSecretStore(database: Database, sealer: Sealer): SecretStore {
  return {
    async put(ref, value) {
      const row = { sealed: sealer.seal(value, ref), updated_at: new Date().toISOString() };
      await database
        .insertInto('secrets')
        .values({ ref, ...row })
        .onConflict((conflict) => conflict.column('ref').doUpdateSet(row))
        .execute();
    },
    async get(ref) {
      const row = await database.selectFrom('secrets').select('sealed').where('ref', '=', ref).executeTakeFirst();
      return row && sealer.open(row.sealed, ref);
    },
    async delete(ref) {
      await database.deleteFrom('secrets').where('ref', '=', ref).execute();
    },
    deleteIf: (ref, matches) =>
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
