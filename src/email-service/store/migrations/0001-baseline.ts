import { type Kysely, type Migration, sql } from 'kysely';
import { createTables } from '../../../lib/sql/create-tables.ts';
import { createInstallationId, installationColumns } from '../../../lib/sql/installation-id.ts';

export const baseline: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    await createTables(database, {
      installation: { columns: installationColumns },
      accounts: {
        columns: { id: 'key', name: 'text unique', last_event_number: 'integer from 0', created_at: 'text' },
      },
      api_keys: {
        columns: {
          id: 'key',
          account_id: 'text → accounts',
          name: 'text?',
          token_sha256: 'text unique',
          last_four: 'text',
          created_at: 'text',
          revoked_at: 'text?',
          scopes: 'text?',
          parent_id: 'text?',
        },
        indexes: { api_keys_list: ['account_id', 'id'] },
      },
      idempotency_keys: {
        columns: {
          owner: 'text',
          key: 'text',
          fingerprint: 'text',
          response_status: 'integer',
          response_body: 'text',
          sealed_secret: 'text?',
          secret_expires_at: 'text?',
          created_at: 'text',
          email_id: 'text?',
        },
        key: ['owner', 'key'],
      },
      domains: {
        columns: {
          id: 'key',
          account_id: 'text → accounts',
          name: 'text',
          status: 'text',
          dkim_selector: 'text',
          sealed_dkim_private_key: 'text',
          return_path_domain: 'text',
          records: 'text',
          created_at: 'text',
          verified_at: 'text?',
          last_checked_at: 'text?',
          deleted_at: 'text?',
        },
        indexes: { domains_list: ['account_id', 'id'] },
      },
      senders: {
        columns: {
          id: 'key',
          account_id: 'text → accounts',
          domain_id: 'text → domains',
          from_address: 'text',
          name: 'text?',
          created_at: 'text',
          deleted_at: 'text?',
        },
        indexes: { senders_list: ['account_id', 'id'], senders_domain: ['domain_id'] },
      },
      emails: {
        columns: {
          id: 'key',
          account_id: 'text → accounts',
          sender_id: 'text → senders',
          recipient: 'text',
          recipient_domain: 'text',
          subject: 'text',
          body: 'text',
          html: 'text?',
          headers: 'text',
          metadata: 'text',
          status: 'text',
          message_id: 'text',
          signed_message: 'text?',
          bounce: 'text?',
          created_at: 'text',
          expires_at: 'text',
          delivered_at: 'text?',
          content_erased_at: 'text?',
          suppression_override: 'text?',
        },
        indexes: {
          emails_list: ['account_id', 'id'],
          emails_list_by_status: ['account_id', 'status', 'id'],
          emails_list_by_domain: ['account_id', 'recipient_domain', 'id'],
          emails_sender: ['sender_id'],
        },
      },
      suppressions: {
        columns: {
          id: 'key',
          account_id: 'text → accounts',
          address: 'text',
          cause: 'text',
          reason: 'text',
          email_id: 'text?',
          created_at: 'text',
        },
        unique: ['account_id', 'address'],
        indexes: { suppressions_list: ['account_id', 'id'] },
      },
      delivery_attempts: {
        columns: {
          email_id: 'text → emails',
          number: 'integer',
          outcome: 'text',
          remote_mta: 'text?',
          reply_code: 'integer?',
          enhanced_status_code: 'text?',
          diagnostic: 'text?',
          started_at: 'text',
          finished_at: 'text?',
          lease_holder: 'text',
          lease_until: 'integer',
        },
        key: ['email_id', 'number'],
      },
      webhooks: {
        columns: {
          id: 'key',
          account_id: 'text → accounts',
          url: 'text',
          events: 'text',
          sealed_signing_secret: 'text',
          created_at: 'text',
          disabled_at: 'text?',
          deleted_at: 'text?',
        },
        indexes: { webhooks_list: ['account_id', 'id'] },
      },
      events: {
        columns: {
          id: 'key',
          account_id: 'text → accounts',
          number: 'integer',
          type: 'text',
          data: 'text',
          created_at: 'text',
        },
        unique: ['account_id', 'number'],
        indexes: { events_oldest: ['created_at', 'id'] },
      },
      webhook_deliveries: {
        columns: {
          event_id: 'text → events',
          webhook_id: 'text → webhooks',
          status: 'text',
          attempts: 'integer',
          last_status_code: 'integer?',
          last_error: 'text?',
          created_at: 'text',
          finished_at: 'text?',
        },
        key: ['event_id', 'webhook_id'],
        indexes: { webhook_deliveries_webhook: ['webhook_id'] },
      },
      outbox: {
        columns: {
          workflow_id: 'key',
          workflow_type: 'text',
          input: 'text',
          created_at: 'text',
          claimed_until: 'integer?',
          not_before: 'integer?',
        },
        indexes: { outbox_oldest: ['created_at', 'workflow_id'] },
      },
    });
    for (const index of [
      // The name of a deleted resource can be used again; its row stays for the emails that were sent.
      sql`unique index domains_name on domains (account_id, name) where deleted_at is null`,
      sql`unique index senders_from_address on senders (account_id, from_address) where deleted_at is null`,
      sql`index emails_list_by_recipient on emails (account_id, lower(recipient), id)`,
      // What has not ended, in the order of its keys.
      sql`index emails_queued_ids on emails (id) where status = 'queued'`,
      sql`index domains_pending_ids on domains (id) where status = 'pending' and deleted_at is null`,
      sql`index webhook_deliveries_pending_ids on webhook_deliveries (event_id, webhook_id) where status = 'pending'`,
      // What the removal of old rows, and the foreign keys that it checks, find.
      sql`index api_keys_parent on api_keys (parent_id) where parent_id is not null`,
      sql`index api_keys_revoked on api_keys (revoked_at, id) where revoked_at is not null`,
      sql`index domains_deleted on domains (deleted_at, id) where deleted_at is not null`,
      sql`index senders_deleted on senders (deleted_at, id) where deleted_at is not null`,
      sql`index webhooks_deleted on webhooks (deleted_at, id) where deleted_at is not null`,
      sql`index emails_final on emails (expires_at, id) where status <> 'queued'`,
      sql`index emails_with_content on emails (expires_at, id) where status <> 'queued' and content_erased_at is null`,
      sql`index idempotency_keys_secrets on idempotency_keys (secret_expires_at) where sealed_secret is not null`,
      sql`index idempotency_keys_email on idempotency_keys (email_id) where email_id is not null`,
      sql`index idempotency_keys_oldest on idempotency_keys (created_at, owner, key) where email_id is null`,
    ])
      await sql`create ${index}`.execute(database);
    await createInstallationId(database);
  },
};
