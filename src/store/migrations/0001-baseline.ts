import { type Kysely, type Migration, sql } from 'kysely';
import { createTables, type NewTables } from '../../lib/sql/create-tables.ts';
import { createInstallationId, installationColumns } from '../../lib/sql/installation-id.ts';
import { searchedIn } from '../searched-in.ts';

/** In an order in which each table comes after those that it refers to. */
export const baselineTables: NewTables = {
  installation: { columns: { ...installationColumns, events_removed_to: 'integer from 0', restored_at: 'text?' } },
  secrets: { columns: { ref: 'key', sealed: 'text', updated_at: 'text' } },
  agents_md_checks: { columns: { producer_id: 'key', version: 'text', content: 'text' } },
  producers: {
    columns: {
      producer_id: 'key',
      host: 'text',
      organization: 'text?',
      primary_repository: 'text?',
      organization_key: 'text',
      repository_key: 'text',
      every_seconds: 'integer',
      paused: 'integer',
      labels: 'text',
      outcome: 'text',
      reason: 'text?',
      message: 'text?',
      checked_at: 'text?',
      outcome_since: 'text?',
      attempted_at: 'text?',
      attempt_reason: 'text?',
      asked_at: 'text?',
      next_check_at: 'text?',
    },
    indexes: {
      // Of the sweep, which reads due rows by organization.
      producers_by_host: ['host', 'organization_key', 'repository_key', 'producer_id', 'next_check_at'],
      producers_by_next_check: ['host', 'next_check_at'],
      producers_by_outcome: ['outcome', 'producer_id'],
      producers_by_reason: ['reason', 'producer_id'],
      producers_by_attempt_reason: ['attempt_reason', 'producer_id'],
      producers_by_outcome_since: ['outcome_since', 'producer_id'],
    },
  },
  producer_asks: { columns: { asked_at: 'text', producer_id: 'text' }, key: ['asked_at', 'producer_id'] },
  producer_labels: {
    columns: { label: 'text', producer_id: 'text' },
    key: ['label', 'producer_id'],
    indexes: { producer_labels_by_producer: ['producer_id'] },
  },
  producer_results: {
    columns: { producer_id: 'text', checked_at: 'text', outcome: 'text', reason: 'text' },
    key: ['producer_id', 'checked_at'],
  },
  producer_days: {
    columns: { day: 'text', outcome: 'text', producers: 'integer' },
    key: ['day', 'outcome'],
  },
  provider_intents: {
    columns: {
      intent: 'key',
      tenant_id: 'text',
      attempt_id: 'text',
      resource_id: 'text?',
      noted_at: 'text',
      intent_id: 'text?',
      released_by: 'text?',
      release_reason: 'text?',
    },
    indexes: {
      // Of an event, to find whose it is.
      provider_intents_by_resource: ['resource_id'],
      provider_intents_by_intent: ['intent_id'],
      provider_intents_by_tenant: ['tenant_id'],
    },
  },
  provider_events: {
    columns: {
      provider: 'text',
      event_id: 'text',
      tenant_id: 'text',
      type: 'text',
      at: 'text',
      received_at: 'text',
      email_id: 'text?',
      intent_id: 'text?',
      bounce: 'text?',
    },
    key: ['provider', 'event_id'],
    indexes: {
      provider_events_by_email: ['provider', 'email_id', 'at'],
      provider_events_by_intent: ['provider', 'intent_id', 'at'],
      provider_events_by_received: ['received_at', 'provider', 'event_id'],
    },
  },
  account_blocks: {
    columns: { provider: 'key', code: 'text', message: 'text', since: 'text', last_at: 'text', until: 'text' },
  },
  code_host_pauses: { columns: { origin: 'key', paused_until: 'text', because: 'text' } },
  onboardings: {
    columns: {
      tenant_id: 'key',
      attempt_id: 'text',
      started_at: 'text',
      started_with: 'text?',
      run_id: 'text',
      outcome: 'text',
      onboarding: 'text',
      result: 'text?',
      failure: 'text?',
      domain: 'text',
      provider: 'text',
      stage: 'text',
      stage_since: 'text',
      due_at: 'text?',
      exit: 'text?',
      needs_attention: 'integer',
      stuck: 'integer',
      ended_at: 'text?',
      checked_at: 'text?',
      state: 'text',
      updated_at: 'text',
    },
    indexes: {
      // Of the sweep.
      onboardings_by_outcome_tenant_id: ['outcome', 'tenant_id'],
      // Of the doctor and the metrics, which count.
      onboardings_by_outcome_provider: ['outcome', 'provider', 'stage', 'due_at'],
      // What the list filters by, so that it reads only the rows that it returns.
      onboardings_list: ['started_at', 'tenant_id', 'domain'],
      onboardings_list_by_outcome: ['outcome', 'started_at', 'tenant_id', 'stage_since', 'domain'],
      onboardings_list_by_needs_attention: ['needs_attention', 'started_at', 'tenant_id', 'domain'],
      onboardings_list_by_stuck: ['stuck', 'started_at', 'tenant_id', 'domain'],
      onboardings_stuck_by_tenant_id: ['stuck', 'tenant_id'],
      onboardings_list_by_stage: ['stage', 'started_at', 'tenant_id', 'domain'],
      onboardings_list_by_exit: ['exit', 'started_at', 'tenant_id', 'domain'],
    },
  },
  onboarding_findings: {
    columns: { tenant_id: 'text', code: 'text', started_at: 'text' },
    key: ['code', 'tenant_id'],
    indexes: {
      onboarding_findings_by_tenant: ['tenant_id'],
      onboarding_findings_list: ['code', 'started_at', 'tenant_id'],
    },
  },
  onboarding_events: {
    columns: {
      // A listener resumes after the last one that it saw.
      id: 'number',
      event_id: 'text unique',
      tenant_id: 'text',
      attempt_id: 'text',
      type: 'text',
      at: 'text',
      data: 'text',
      delivery: 'text',
      attempts: 'integer',
      last_attempt_at: 'text?',
      last_error: 'text?',
      delivered_at: 'text?',
      replayed_at: 'text?',
    },
    indexes: {
      onboarding_events_by_tenant_id_id: ['tenant_id', 'id'],
      onboarding_events_by_delivery_tenant_id_replayed_at_id: ['delivery', 'tenant_id', 'replayed_at', 'id'],
      onboarding_events_by_delivery_id: ['delivery', 'id'],
      onboarding_events_by_type_id: ['type', 'id'],
      onboarding_events_by_tenant_id_delivery_id: ['tenant_id', 'delivery', 'id'],
      onboarding_events_by_tenant_id_type_id: ['tenant_id', 'type', 'id'],
    },
  },
  api_key_claims: {
    columns: {
      attempt_id: 'key',
      tenant_id: 'text',
      key_id: 'text',
      by: 'text',
      api_token_name: 'text',
      at: 'text',
      replay_key_hash: 'text?',
      sealed_token: 'text?',
      replay_until: 'text?',
    },
    indexes: { api_key_claims_to_erase: ['replay_until'], api_key_claims_by_at: ['at', 'attempt_id'] },
  },
  setup_links: {
    columns: {
      ...{ id_hash: 'key', tenant_id: 'text', attempt_id: 'text', key_id: 'text' },
      ...{ created_at: 'text', revoked_at: 'text?' },
    },
    indexes: { setup_links_by_tenant: ['tenant_id'], setup_links_by_created: ['created_at', 'id_hash'] },
  },
  watched_domains: {
    columns: {
      tenant_id: 'key',
      attempt_id: 'text',
      domain_id: 'text',
      next_check_at: 'text?',
      checked_at: 'text?',
      state: 'text',
      state_since: 'text',
      suspicion: 'text?',
      findings: 'text',
      muted: 'text',
      problem: 'text?',
    },
    indexes: { watched_domains_by_next_check: ['next_check_at', 'tenant_id'] },
  },
};

export const baseline: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    await createTables(database, baselineTables);
    // A search reads what it returns, of a million onboardings as of a thousand.
    const { tenant, domain, parentDomain } = searchedIn(database);
    await sql`create index onboardings_by_lower_tenant_id on onboardings (${tenant}, tenant_id)`.execute(database);
    await sql`create index onboardings_by_domain on onboardings (${domain}, tenant_id)`.execute(database);
    await sql`create index onboardings_by_parent_domain on onboardings (${parentDomain}, tenant_id)`.execute(database);
    await createInstallationId(database);
  },
};
