import type { Generated, Kysely } from 'kysely';
import { baseline } from './migrations/0001-baseline.ts';
import type { WatchState } from '../onboarding/domain-watch.ts';
import type { Exit } from '../onboarding/failures.ts';
import type { EventType } from '../onboarding/onboarding-events.ts';
import type { OnboardingRecord } from '../onboarding/onboarding-record.ts';
import type { Stage } from '../onboarding/stage.ts';
import type { PostgresOptions } from '../lib/sql/postgres-dialect.ts';
import { openSqlDatabase } from '../lib/sql/sql-database.ts';

/** The fields of a record that have a column: each by itself or as JSON. No query filters by the other fields. */
export const recordColumns = {
  tenantId: 'value',
  attemptId: 'value',
  startedAt: 'value',
  startedWith: 'json',
  runId: 'value',
  outcome: 'value',
  onboarding: 'json',
  result: 'json',
  failure: 'json',
  stageSince: 'value',
  endedAt: 'value',
  checkedAt: 'value',
} as const satisfies Partial<Record<keyof OnboardingRecord, 'value' | 'json'>>;

/** `tenant_id` of `tenantId`. */
type ColumnName<Field extends string> = Field extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${ColumnName<Rest>}`
  : '';

type RecordColumns = {
  [Field in keyof typeof recordColumns as ColumnName<Field>]: (typeof recordColumns)[Field] extends 'json'
    ? string | Extract<OnboardingRecord[Field], null>
    : OnboardingRecord[Field];
};

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
  /** See OnboardingRecord. */
  onboardings: RecordColumns & {
    /** The next four are for the list: from the JSON of the record. */
    domain: string;
    stage: Stage;
    exit: Exit | null;
    /** 1 or 0. */
    needs_attention: number;
    /** JSON of the other fields. */
    state: string;
    /** By this machine's clock. */
    updated_at: string;
  };
  /** The codes of the findings of each tenant's last check. */
  onboarding_findings: {
    tenant_id: string;
    code: string;
    /** Of the onboarding. */
    started_at: string;
  };
  /** See OnboardingEvent. */
  onboarding_events: {
    id: Generated<number>;
    event_id: string;
    tenant_id: string;
    attempt_id: string;
    type: EventType;
    at: string;
    /** JSON. */
    data: string;
    /** `none`: the backend is not notified of it. */
    delivery: 'none' | 'pending' | 'delivered' | 'failed';
    attempts: number;
    last_attempt_at: string | null;
    last_error: string | null;
    delivered_at: string | null;
    replayed_at: string | null;
  };
  /** See ApiKeyClaim. */
  api_key_claims: {
    attempt_id: string;
    tenant_id: string;
    key_id: string;
    by: string;
    api_token_name: string;
    at: string;
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
    created_at: string;
    revoked_at: string | null;
  };
  /** See WatchedDomain. */
  watched_domains: {
    tenant_id: string;
    attempt_id: string;
    domain_id: string;
    next_check_at: string | null;
    checked_at: string | null;
    state: WatchState;
    state_since: string;
    /** JSON, as are `findings` and `muted`. */
    suspicion: string;
    findings: string;
    muted: string;
    problem: string | null;
  };
}

export type Database = Kysely<Schema>;

export const migrations = { '0001-baseline': baseline };

/** What names the database and its place on PostgreSQL. */
export const databaseOptions = { setting: 'SENDOFF_DATABASE_URL', schema: 'sendoff' } as const;

/** Shared by the servers and the Workers. @param url `file:PATH` or `postgres:…` */
export const openDatabase = (url: string, options: PostgresOptions = {}): Promise<Database> =>
  openSqlDatabase<Schema>(url, migrations, { ...databaseOptions, ...options });
