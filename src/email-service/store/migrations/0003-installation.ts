import { type Kysely, type Migration, sql } from 'kysely';
import { createInstallationId } from '../../../lib/sql/installation-id.ts';

/**
 * From this version on, Workflow Ids and Task Queues contain the installation id. Workflows with the earlier names have no
 * Worker, so their unfinished work is added to the outbox again.
 */
export const installation: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    await createInstallationId.up(database);
    await sql`
      insert into outbox (workflow_id, workflow_type, input, created_at)
      select 'deliver-email/' || id, 'deliverEmail', '{"emailId":"' || id || '"}', created_at
        from emails where status = 'queued'
      union all
      select 'verify-domain/' || id, 'verifyDomain', '{"domainId":"' || id || '"}', created_at
        from domains where status = 'pending' and deleted_at is null
      union all
      select 'deliver-webhook/' || event_id || '/' || webhook_id, 'deliverWebhook',
             '{"eventId":"' || event_id || '","webhookId":"' || webhook_id || '"}', created_at
        from webhook_deliveries where status = 'pending'
      on conflict do nothing`.execute(database);
  },
};
