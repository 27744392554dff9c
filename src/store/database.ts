import type { Generated, Kysely, Migration } from 'kysely';
import { createInstallationId } from '../lib/sql/installation-id.ts';
import { createApiKeyClaims } from './create-api-key-claims.ts';
import { extendRegister } from './extend-register.ts';
import { createWatchedDomains } from './create-watched-domains.ts';
import { createSetupLinks } from './create-setup-links.ts';
import { indexSearches } from './index-searches.ts';
import { widenListIndexes } from './widen-list-indexes.ts';
import { prepareRetention } from './prepare-retention.ts';
import { rememberNamespaces } from './remember-namespaces.ts';
import type { WatchState } from '../onboarding/domain-watch.ts';
import type { Exit } from '../onboarding/failures.ts';
import type { EventType } from '../onboarding/onboarding-events.ts';
import type { OnboardingOutcome } from '../onboarding/onboarding-record.ts';
import type { Stage } from '../onboarding/stage.ts';
import type { PostgresOptions } from '../lib/sql/postgres-dialect.ts';
import { openSqlDatabase } from '../lib/sql/sql-database.ts';

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
  onboardings: {
    tenant_id: string;
    attempt_id: string;
    started_at: string;
    /** JSON, as are `onboarding`, `result` and `failure`. */
    started_with: string | null;
    run_id: string;
    outcome: OnboardingOutcome;
    onboarding: string;
    result: string | null;
    failure: string | null;
    domain: string;
    stage: Stage;
    stage_since: string;
    exit: Exit | null;
    /** 1 or 0. */
    needs_attention: number;
    ended_at: string | null;
    checked_at: string | null;
    /** JSON: what no query filters by. */
    state: string;
    /** By this machine's clock. */
    updated_at: string;
  };
  /** The codes of the findings of each tenant's last check. */
  onboarding_findings: {
    tenant_id: string;
    code: string;
    /** Of the onboarding; null if a process of the release before wrote it. */
    started_at: string | null;
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

export const migrations: Readonly<Record<string, Migration>> = {
  '0001-initial': {
    async up(database: Kysely<unknown>) {
      await database.schema
        .createTable('secrets')
        .addColumn('ref', 'text', (column) => column.primaryKey())
        .addColumn('sealed', 'text', (column) => column.notNull())
        .addColumn('updated_at', 'text', (column) => column.notNull())
        .execute();
    },
  },
  '0002-agents-md-checks': {
    async up(database: Kysely<unknown>) {
      await database.schema
        .createTable('agents_md_checks')
        .addColumn('producer_id', 'text', (column) => column.primaryKey())
        .addColumn('version', 'text', (column) => column.notNull())
        .addColumn('content', 'text', (column) => column.notNull())
        .execute();
    },
  },
  '0003-onboardings': {
    async up(database: Kysely<unknown>) {
      await database.schema
        .createTable('onboardings')
        .addColumn('tenant_id', 'text', (column) => column.primaryKey())
        .addColumn('attempt_id', 'text', (column) => column.notNull())
        .addColumn('started_at', 'text', (column) => column.notNull())
        .addColumn('started_with', 'text')
        .addColumn('run_id', 'text', (column) => column.notNull())
        .addColumn('outcome', 'text', (column) => column.notNull())
        .addColumn('onboarding', 'text', (column) => column.notNull())
        .addColumn('result', 'text')
        .addColumn('failure', 'text')
        .execute();
    },
  },
  '0004-installation': createInstallationId,
  '0005-register': extendRegister,
  '0007-api-key-claims': createApiKeyClaims,
  '0008-watched-domains': createWatchedDomains,
  '0009-retention': prepareRetention,
  '0010-setup-links': createSetupLinks,
  '0011-list-indexes': widenListIndexes,
  '0012-search-indexes': indexSearches,
  '0013-namespace': rememberNamespaces,
};

/** What names the database and its place on PostgreSQL. */
export const databaseOptions = { setting: 'SENDOFF_DATABASE_URL', schema: 'sendoff' } as const;

/** Shared by the servers and the Workers. @param url `file:PATH` or `postgres:…` */
export const openDatabase = (url: string, options: PostgresOptions = {}): Promise<Database> =>
  openSqlDatabase<Schema>(url, migrations, { ...databaseOptions, ...options });
