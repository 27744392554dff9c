import { type Kysely, type Migration, sql } from 'kysely';

/** What has not ended, in the order of its keys: it is read a page at a time. */
export const pendingPages: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    await sql`create index emails_queued_ids on emails (id) where status = 'queued'`.execute(database);
    await sql`create index domains_pending_ids on domains (id) where status = 'pending' and deleted_at is null`.execute(
      database,
    );
    await sql`create index webhook_deliveries_pending_ids on webhook_deliveries (event_id, webhook_id) where status = 'pending'`.execute(
      database,
    );
    for (const index of ['emails_queued', 'domains_pending', 'webhook_deliveries_pending'])
      await database.schema.dropIndex(index).execute();
  },
};
