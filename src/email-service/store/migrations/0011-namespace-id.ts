import { type Kysely, type Migration, sql } from 'kysely';

/** Temporal's id of the Namespace: one of the same name on another server is another one. */
export const namespaceId: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    await sql`alter table installation add column namespace_id text`.execute(database);
  },
};
