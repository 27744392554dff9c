import { type CopiedTables, copiedTablesOf, type KeysOf } from '../../lib/sql/copy-tables.ts';
import type { Schema } from './schema.ts';

const keys: KeysOf<Schema> = {
  accounts: ['id'],
  account_outcomes: ['account_id', 'slot'],
  erasures: ['id'],
  mta_sts_policies: ['domain'],
  api_keys: ['id'],
  sending_limits: ['account_id'],
  idempotency_keys: ['owner', 'key'],
  domains: ['id'],
  senders: ['id'],
  suppressions: ['id'],
  shared_contents: ['id'],
  attachment_chunks: ['content_id', 'number'],
  emails: ['id'],
  email_tags: ['email_id', 'tag'],
  delivery_attempts: ['email_id', 'number'],
  webhooks: ['id'],
  events: ['id'],
  webhook_deliveries: ['event_id', 'webhook_id'],
  outbox: ['workflow_id'],
};

export const copiedTables: CopiedTables = copiedTablesOf(keys);
