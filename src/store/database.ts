import type { Generated, Kysely } from 'kysely';
import { baseline, baselineTables } from './migrations/0001-baseline.ts';
import type { HostName } from '../agents-md/code-host.ts';
import type { Outcome, ReasonCode } from '../agents-md/reasons.ts';
import type { Exit } from '../onboarding/failures.ts';
import type { OnboardingEvent } from '../onboarding/onboarding-events.ts';
import type { OnboardingRecord, recordColumns } from '../onboarding/onboarding-record.ts';
import type { ProviderEventType } from '../onboarding/provider-event.ts';
import type { EMBEDDED, ProviderName } from '../onboarding/provider-name.ts';
import type { Stage } from '../onboarding/stage.ts';
import type { PostgresOptions } from '../lib/sql/postgres-dialect.ts';
import { copiedTablesOf } from '../lib/sql/copy-tables.ts';
import { openSqlDatabase } from '../lib/sql/sql-database.ts';
import type { ApiKeyClaim } from './onboarding/api-key-claims.ts';
import type { Columns, RowOf } from './row-mapping.ts';
import type { WatchedDomain } from './upkeep/watched-domains.ts';

export const eventColumns = {
  asIs: ['eventId', 'tenantId', 'attemptId', 'type', 'at'],
  asJson: ['data'],
} as const satisfies Columns<OnboardingEvent>;

export const claimColumns = {
  asIs: ['attemptId', 'tenantId', 'keyId', 'by', 'apiTokenName', 'at'],
  asJson: [],
} as const satisfies Columns<ApiKeyClaim>;

export const watchColumns = {
  asIs: ['tenantId', 'attemptId', 'domainId', 'nextCheckAt', 'checkedAt', 'state', 'stateSince', 'problem'],
  asJson: ['suspicion', 'findings', 'muted'],
} as const satisfies Columns<WatchedDomain>;

/** The orchestrator's data outside Temporal. */
export interface Schema {
  secrets: { ref: string; sealed: string; updated_at: string };
  agents_md_checks: {
    producer_id: string;
    /** The Run Id of the check that wrote it. */
    version: string;
    /** JSON of a PreviousCheck. */
    content: string;
  };
  /** See ProducerRecord. */
  producers: {
    producer_id: string;
    host: HostName;
    organization: string | null;
    primary_repository: string | null;
    /** The next two are lower case, and empty where there is none: hosts ignore case. */
    organization_key: string;
    repository_key: string;
    every_seconds: number;
    /** 1 or 0. */
    paused: number;
    /** JSON. */
    labels: string;
    /** `unchecked` before the first conclusive result. */
    outcome: Outcome | 'unchecked';
    reason: ReasonCode | null;
    message: string | null;
    checked_at: string | null;
    outcome_since: string | null;
    attempted_at: string | null;
    attempt_reason: ReasonCode | null;
    asked_at: string | null;
    next_check_at: string | null;
  };
  /** Who was asked for by the last requests to check now. */
  producer_asks: { asked_at: string; producer_id: string };
  producer_labels: { label: string; producer_id: string };
  producer_results: { producer_id: string; checked_at: string; outcome: Outcome; reason: ReasonCode };
  producer_days: { day: string; outcome: Outcome | 'unchecked'; producers: number };
  /** See SharedPause. Times are RFC 3339 UTC. */
  code_host_pauses: { origin: string; paused_until: string; because: string };
  /** See OnboardingRecord. */
  onboardings: RowOf<OnboardingRecord, typeof recordColumns> & {
    /** The next six are from the JSON of the record, for queries. */
    domain: string;
    provider: ProviderName | typeof EMBEDDED;
    stage: Stage;
    /** See stageDueAt. */
    due_at: string | null;
    exit: Exit | null;
    /** 1 or 0. */
    needs_attention: number;
    stuck: number;
    /** JSON of the other fields. */
    state: string;
    /** By this machine's clock. */
    updated_at: string;
  };
  /** The codes of the findings of each tenant's last check. */
  onboarding_findings: {
    tenant_id: string;
    code: string;
    /** Start of the onboarding. */
    started_at: string;
  };
  /** See OnboardingEvent. */
  onboarding_events: RowOf<OnboardingEvent, typeof eventColumns> & {
    id: Generated<number>;
    /** `none`: the backend is not notified of it. */
    delivery: 'none' | 'pending' | 'delivered' | 'failed';
    attempts: number;
    last_attempt_at: string | null;
    last_error: string | null;
    delivered_at: string | null;
    replayed_at: string | null;
  };
  /** See Intent; `intent` has its key. */
  provider_intents: {
    intent: string;
    tenant_id: string;
    attempt_id: string;
    resource_id: string | null;
    noted_at: string;
    intent_id: string | null;
    /** The person who released an email, and the reason: see Release. */
    released_by: string | null;
    release_reason: string | null;
  };
  /** See ProviderEvent; `bounce` is JSON. */
  provider_events: {
    provider: ProviderName;
    event_id: string;
    tenant_id: string;
    type: ProviderEventType;
    at: string;
    /** By this machine's clock. */
    received_at: string;
    email_id: string | null;
    intent_id: string | null;
    bounce: string | null;
  };
  /** See AccountBlock. */
  account_blocks: {
    provider: ProviderName;
    code: string;
    message: string;
    since: string;
    last_at: string;
    until: string;
  };
  /** See ApiKeyClaim. */
  api_key_claims: RowOf<ApiKeyClaim, typeof claimColumns> & {
    /** The next three are null once the token is erased. */
    replay_key_hash: string | null;
    sealed_token: string | null;
    replay_until: string | null;
  };
  /** See SetupLinks. */
  setup_links: {
    id_hash: string;
    tenant_id: string;
    attempt_id: string;
    /** Names the key that signed its token. */
    key_id: string;
    created_at: string;
    revoked_at: string | null;
  };
  /** See WatchedDomain. */
  watched_domains: RowOf<WatchedDomain, typeof watchColumns>;
}

export type Database = Kysely<Schema>;

export const migrations = { '0001-baseline': baseline };
export const copiedTables = copiedTablesOf(baselineTables);

/** The names of the database and of its place on PostgreSQL. */
export const databaseOptions = { setting: 'SENDOFF_DATABASE_URL', schema: 'sendoff', owner: 'orchestrator' } as const;

/** Shared by the servers and the Workers. @param url `file:PATH` or `postgres:…` */
export const openDatabase = (url: string, options: PostgresOptions = {}): Promise<Database> =>
  openSqlDatabase<Schema>(url, migrations, { ...databaseOptions, ...options });
