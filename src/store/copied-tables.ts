import { type CopiedTables, copiedTablesOf, type KeysOf } from '../lib/sql/copy-tables.ts';
import type { Schema } from './database.ts';

const keys: KeysOf<Schema> = {
  secrets: ['ref'],
  agents_md_checks: ['producer_id'],
  producers: ['producer_id'],
  producer_asks: ['asked_at', 'producer_id'],
  producer_labels: ['label', 'producer_id'],
  producer_results: ['producer_id', 'checked_at'],
  producer_days: ['day', 'outcome'],
  code_host_pauses: ['origin'],
  onboardings: ['tenant_id'],
  onboarding_findings: ['code', 'tenant_id'],
  onboarding_events: ['id'],
  provider_intents: ['intent'],
  account_blocks: ['provider'],
  provider_events: ['provider', 'event_id'],
  api_key_claims: ['attempt_id'],
  setup_links: ['id_hash'],
  watched_domains: ['tenant_id'],
};

export const copiedTables: CopiedTables = copiedTablesOf(keys);
