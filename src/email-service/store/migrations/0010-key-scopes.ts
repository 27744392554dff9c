import { type Kysely, type Migration, sql } from 'kysely';

/** Keys of earlier versions have every scope, and no known parent. */
export const keyScopes: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    const { schema } = database;
    await schema.alterTable('api_keys').addColumn('scopes', 'text').execute();
    await schema.alterTable('api_keys').addColumn('parent_id', 'text').execute();
    await sql`create index api_keys_parent on api_keys (parent_id) where parent_id is not null`.execute(database);
  },
};
