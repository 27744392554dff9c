import type { Kysely, Migration } from 'kysely';

export const createApiKeyClaims: Migration = {
  async up(database: Kysely<unknown>) {
    await database.schema
      .createTable('api_key_claims')
      .addColumn('attempt_id', 'text', (column) => column.primaryKey())
      .addColumn('tenant_id', 'text', (column) => column.notNull())
      .addColumn('key_id', 'text', (column) => column.notNull())
      .addColumn('by', 'text', (column) => column.notNull())
      .addColumn('api_token_name', 'text', (column) => column.notNull())
      .addColumn('at', 'text', (column) => column.notNull())
      .addColumn('replay_key_hash', 'text')
      .addColumn('sealed_token', 'text')
      .addColumn('replay_until', 'text')
      .execute();
    await database.schema.createIndex('api_key_claims_to_erase').on('api_key_claims').column('replay_until').execute();
  },
};
