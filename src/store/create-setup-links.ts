import type { Kysely, Migration } from 'kysely';

export const createSetupLinks: Migration = {
  async up(database: Kysely<unknown>) {
    await database.schema
      .createTable('setup_links')
      .addColumn('id_hash', 'text', (column) => column.primaryKey())
      .addColumn('tenant_id', 'text', (column) => column.notNull())
      .addColumn('attempt_id', 'text', (column) => column.notNull())
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addColumn('revoked_at', 'text')
      .execute();
    await database.schema.createIndex('setup_links_by_tenant').on('setup_links').column('tenant_id').execute();
    await database.schema
      .createIndex('setup_links_by_created')
      .on('setup_links')
      .columns(['created_at', 'id_hash'])
      .execute();
  },
};
