import { type Kysely, type Migration, sql } from 'kysely';
import { createInstallationId } from '../../../lib/sql/installation-id.ts';

/**
 * Workflow Ids and Task Queues carry the installation's id from here on. Workflows under the earlier names have no Worker
 * any more, so what they had left to do is owed again under the new ones.
 */
export const installation: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    await createInstallationId.up(database);
    await sql`
      insert into outbox (workflow_id, workflow_type, input, created_at)
      select 'deliver-email/' || id, 'deliverEmail', json_object('emailId', id), created_at
        from emails where status = 'queued'
      union all
      select 'verify-domain/' || id, 'verifyDomain', json_object('domainId', id), created_at
        from domains where status = 'pending' and deleted_at is null
      union all
      select 'deliver-webhook/' || event_id || '/' || webhook_id, 'deliverWebhook',
             json_object('eventId', event_id, 'webhookId', webhook_id), created_at
        from webhook_deliveries where status = 'pending'
      on conflict do nothing`.execute(database);
  },
};
