import { type Kysely, type Migration, sql } from 'kysely';

/** What the removal of old rows, and the foreign keys that it checks, find by index. */
export const retention: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    const { schema } = database;
    await schema.alterTable('emails').addColumn('content_erased_at', 'text').execute();
    await schema.alterTable('idempotency_keys').addColumn('email_id', 'text').execute();
    // Until now only the stored answer has the email's id: {"id":"eml_…","status":"queued"}.
    await sql`
      update idempotency_keys set email_id = substr(response_body, 8, 30)
      where substr(response_body, 1, 11) = '{"id":"eml_'`.execute(database);
    for (const index of [
      sql`emails_final on emails (expires_at, id) where status <> 'queued'`,
      sql`emails_with_content on emails (expires_at, id) where status <> 'queued' and content_erased_at is null`,
      sql`emails_sender on emails (sender_id)`,
      sql`events_oldest on events (created_at, id)`,
      sql`webhook_deliveries_webhook on webhook_deliveries (webhook_id)`,
      sql`senders_domain on senders (domain_id)`,
      sql`domains_deleted on domains (deleted_at, id) where deleted_at is not null`,
      sql`senders_deleted on senders (deleted_at, id) where deleted_at is not null`,
      sql`webhooks_deleted on webhooks (deleted_at, id) where deleted_at is not null`,
      sql`api_keys_revoked on api_keys (revoked_at, id) where revoked_at is not null`,
      sql`idempotency_keys_email on idempotency_keys (email_id) where email_id is not null`,
      sql`idempotency_keys_oldest on idempotency_keys (created_at, owner, key) where email_id is null`,
    ])
      await sql`create index ${index}`.execute(database);
  },
};
