import { settingsTable } from '../../config.ts';
import { emailServiceSettings } from '../../email-service/config.ts';
import { migrations as migrationsOfStore } from '../../email-service/store/open-store.ts';
import { sealedColumns as sealedColumnsOfStore } from '../../email-service/store/sealed-secrets.ts';
import { readSettings } from '../../lib/settings.ts';
import type { SealedColumn } from '../../lib/sql/sealed-columns.ts';
import { type InspectedDatabase, inspectSqlDatabase } from '../../lib/sql/sql-database.ts';
import { migrations } from '../../store/database.ts';
import { sealedColumns } from '../../store/sealed-secrets.ts';
import { hasSettings } from '../has-settings.ts';
import type { ProgressStream } from './progress-line.ts';

export type ProgramName = 'orchestrator' | 'email-service';

export interface DatabaseCommandOptions {
  readonly json?: boolean;
  readonly only?: ProgramName;
}

export interface DatabaseCommandContext {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly write: (text: string) => void;
  /** Takes the progress: stdout belongs to the result. */
  readonly progress: ProgressStream;
}

/** The database of one program. */
export interface ProgramDatabase {
  readonly program: ProgramName;
  readonly url: string;
  readonly keys: { readonly setting: string; readonly read: () => readonly Buffer[] };
  readonly sealedColumns: readonly SealedColumn[];
  /** Opens it as it is. */
  readonly inspect: () => Promise<InspectedDatabase<unknown>>;
}

type Environment = DatabaseCommandContext['environment'];

const programDatabases: Record<ProgramName, (environment: Environment) => ProgramDatabase> = {
  orchestrator(environment) {
    const { SENDOFF_DATABASE_URL, SENDOFF_SECRET_KEY } = settingsTable;
    const url = readSettings({ SENDOFF_DATABASE_URL }, environment).SENDOFF_DATABASE_URL;
    return {
      program: 'orchestrator',
      url,
      keys: {
        setting: 'SENDOFF_SECRET_KEY',
        read: () => readSettings({ SENDOFF_SECRET_KEY }, environment).SENDOFF_SECRET_KEY,
      },
      sealedColumns,
      inspect: () => inspectSqlDatabase(url, migrations, { setting: 'SENDOFF_DATABASE_URL' }),
    };
  },
  'email-service'(environment) {
    const { EMAIL_SERVICE_DATABASE_URL, EMAIL_SERVICE_ENCRYPTION_KEY } = emailServiceSettings;
    const url = readSettings({ EMAIL_SERVICE_DATABASE_URL }, environment).EMAIL_SERVICE_DATABASE_URL;
    return {
      program: 'email-service',
      url,
      keys: {
        setting: 'EMAIL_SERVICE_ENCRYPTION_KEY',
        read: () => readSettings({ EMAIL_SERVICE_ENCRYPTION_KEY }, environment).EMAIL_SERVICE_ENCRYPTION_KEY,
      },
      sealedColumns: sealedColumnsOfStore,
      inspect: () => inspectSqlDatabase(url, migrationsOfStore, { setting: 'EMAIL_SERVICE_DATABASE_URL' }),
    };
  },
};

/** The databases that the settings name: the orchestrator's, and the email service's if it has settings here. */
export function chosenDatabases(
  { only }: Pick<DatabaseCommandOptions, 'only'>,
  environment: Environment,
): readonly ProgramDatabase[] {
  if (only !== undefined) return [programDatabases[only](environment)];
  const orchestrator = programDatabases.orchestrator(environment);
  if (!hasSettings(environment, 'EMAIL_SERVICE_')) return [orchestrator];
  return [orchestrator, programDatabases['email-service'](environment)];
}
