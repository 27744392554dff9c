import { type Kysely, type Migration, sql } from 'kysely';

/** The Temporal Namespace of the last start, and what has not ended, by small indexes. */
export const namespace: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    await sql`alter table installation add column namespace text`.execute(database);
    await sql`create index emails_queued on emails (status) where status = 'queued'`.execute(database);
    await sql`create index domains_pending on domains (status) where status = 'pending' and deleted_at is null`.execute(
      database,
    );
    await sql`create index webhook_deliveries_pending on webhook_deliveries (status) where status = 'pending'`.execute(
      database,
    );
  },
};
