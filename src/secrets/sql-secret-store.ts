import type { Kysely, Migration } from 'kysely';
import { openSqlDatabase } from '../sql-database.ts';
import type { Sealer } from '../sealing.ts';
import type { SecretStore } from './secret-store.ts';

interface Schema {
  secrets: { ref: string; sealed: string; updated_at: string };
}

const initial: Migration = {
  async up(database: Kysely<unknown>) {
    await database.schema
      .createTable('secrets')
      .addColumn('ref', 'text', (column) => column.primaryKey())
      .addColumn('sealed', 'text', (column) => column.notNull())
      .addColumn('updated_at', 'text', (column) => column.notNull())
      .execute();
  },
};

/** Rows sealed with AES-256-GCM, each bound to its reference: a row moved to another reference does not open. */
export async function openSqlSecretStore(
  databaseUrl: string,
  sealer: Sealer,
): Promise<SecretStore & { close(): Promise<void> }> {
  const database = await openSqlDatabase<Schema>(databaseUrl, { '0001-initial': initial });
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
    close: () => database.destroy(),
  };
}
