import { sql, type Kysely, type Migration } from 'kysely';

export const initial: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    const schema = database.schema;
    await schema
      .createTable('accounts')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('name', 'text', (column) => column.notNull().unique())
      .addColumn('last_event_number', 'integer', (column) => column.notNull().defaultTo(0))
      .addColumn('created_at', 'text', (column) => column.notNull())
      .execute();

    await schema
      .createTable('api_keys')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id'))
      .addColumn('name', 'text')
      .addColumn('token_sha256', 'text', (column) => column.notNull().unique())
      .addColumn('last_four', 'text', (column) => column.notNull())
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addColumn('revoked_at', 'text')
      .execute();

    await schema
      .createTable('idempotency_keys')
      .addColumn('owner', 'text', (column) => column.notNull())
      .addColumn('key', 'text', (column) => column.notNull())
      .addColumn('fingerprint', 'text', (column) => column.notNull())
      .addColumn('response_status', 'integer', (column) => column.notNull())
      .addColumn('response_body', 'text', (column) => column.notNull())
      .addColumn('sealed_secret', 'text')
      .addColumn('secret_expires_at', 'text')
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('idempotency_keys_pk', ['owner', 'key'])
      .execute();
    await sql`create index idempotency_keys_secrets on idempotency_keys (secret_expires_at) where sealed_secret is not null`.execute(
      database,
    );

    await schema
      .createTable('domains')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id'))
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('dkim_selector', 'text', (column) => column.notNull())
      .addColumn('sealed_dkim_private_key', 'text', (column) => column.notNull())
      .addColumn('return_path_domain', 'text', (column) => column.notNull())
      .addColumn('records', 'text', (column) => column.notNull())
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addColumn('verified_at', 'text')
      .addColumn('last_checked_at', 'text')
      .addColumn('deleted_at', 'text')
      .execute();
    // The name of a deleted domain can be registered again; its row stays for the emails sent from it.
    await sql`create unique index domains_name on domains (account_id, name) where deleted_at is null`.execute(
      database,
    );

    await schema
      .createTable('senders')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id'))
      .addColumn('domain_id', 'text', (column) => column.notNull().references('domains.id'))
      .addColumn('from_address', 'text', (column) => column.notNull())
      .addColumn('name', 'text')
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addColumn('deleted_at', 'text')
      .execute();
    await sql`create unique index senders_from_address on senders (account_id, from_address) where deleted_at is null`.execute(
      database,
    );

    await schema
      .createTable('emails')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id'))
      .addColumn('sender_id', 'text', (column) => column.notNull().references('senders.id'))
      .addColumn('recipient', 'text', (column) => column.notNull())
      .addColumn('subject', 'text', (column) => column.notNull())
      .addColumn('body', 'text', (column) => column.notNull())
      .addColumn('html', 'text')
      .addColumn('headers', 'text', (column) => column.notNull())
      .addColumn('metadata', 'text', (column) => column.notNull())
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('message_id', 'text', (column) => column.notNull())
      .addColumn('signed_message', 'text')
      .addColumn('bounce', 'text')
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addColumn('expires_at', 'text', (column) => column.notNull())
      .addColumn('delivered_at', 'text')
      .execute();

    await schema
      .createTable('delivery_attempts')
      .addColumn('email_id', 'text', (column) => column.notNull().references('emails.id'))
      .addColumn('number', 'integer', (column) => column.notNull())
      .addColumn('outcome', 'text', (column) => column.notNull())
      .addColumn('remote_mta', 'text')
      .addColumn('reply_code', 'integer')
      .addColumn('enhanced_status_code', 'text')
      .addColumn('diagnostic', 'text')
      .addColumn('started_at', 'text', (column) => column.notNull())
      .addColumn('finished_at', 'text')
      .addPrimaryKeyConstraint('delivery_attempts_pk', ['email_id', 'number'])
      .execute();

    await schema
      .createTable('webhooks')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id'))
      .addColumn('url', 'text', (column) => column.notNull())
      .addColumn('events', 'text', (column) => column.notNull())
      .addColumn('sealed_signing_secret', 'text', (column) => column.notNull())
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addColumn('disabled_at', 'text')
      .addColumn('deleted_at', 'text')
      .execute();
    await schema.createIndex('webhooks_account').on('webhooks').column('account_id').execute();

    await schema
      .createTable('events')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id'))
      .addColumn('number', 'integer', (column) => column.notNull())
      .addColumn('type', 'text', (column) => column.notNull())
      .addColumn('data', 'text', (column) => column.notNull())
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addUniqueConstraint('events_number', ['account_id', 'number'])
      .execute();

    await schema
      .createTable('webhook_deliveries')
      .addColumn('event_id', 'text', (column) => column.notNull().references('events.id'))
      .addColumn('webhook_id', 'text', (column) => column.notNull().references('webhooks.id'))
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('attempts', 'integer', (column) => column.notNull())
      .addColumn('last_status_code', 'integer')
      .addColumn('last_error', 'text')
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addColumn('finished_at', 'text')
      .addPrimaryKeyConstraint('webhook_deliveries_pk', ['event_id', 'webhook_id'])
      .execute();

    await schema
      .createTable('outbox')
      .addColumn('workflow_id', 'text', (column) => column.primaryKey())
      .addColumn('workflow_type', 'text', (column) => column.notNull())
      .addColumn('input', 'text', (column) => column.notNull())
      .addColumn('created_at', 'text', (column) => column.notNull())
      .execute();
  },
};
