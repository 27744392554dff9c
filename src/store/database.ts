import type { Kysely, Migration } from 'kysely';
import { createInstallationId } from '../lib/sql/installation-id.ts';
import type { OnboardingOutcome } from '../onboarding/onboarding-record.ts';
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
  };
}

export type Database = Kysely<Schema>;

const migrations: Readonly<Record<string, Migration>> = {
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
};

/** Shared by the server and the Workers. @param url `file:PATH` */
export const openDatabase = (url: string): Promise<Database> =>
  openSqlDatabase<Schema>(url, migrations, { setting: 'SENDOFF_DATABASE_URL' });
