import { type Kysely, type Migration, sql } from 'kysely';

/** The Temporal Namespace in which the onboardings run; null until the next start. */
export const rememberNamespaces: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    await sql`alter table installation add column namespace text`.execute(database);
    await sql`alter table installation add column namespace_id text`.execute(database);
  },
};
