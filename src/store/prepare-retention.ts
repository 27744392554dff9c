import type { Kysely, Migration } from 'kysely';

/** What the removal of old rows finds by index, and up to which event it has removed them. */
export const prepareRetention: Migration = {
  async up(database: Kysely<unknown>) {
    await database.schema
      .createIndex('api_key_claims_by_at')
      .on('api_key_claims')
      .columns(['at', 'attempt_id'])
      .execute();
    await database.schema
      .alterTable('installation')
      .addColumn('events_removed_to', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
  },
};
