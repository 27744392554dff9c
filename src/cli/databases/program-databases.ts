import type { Kysely } from 'kysely';
import { settingsTable } from '../../config.ts';
import { emailServiceSettings } from '../../email-service/config.ts';
import {
  copiedTables as copiedTablesOfStore,
  migrations as migrationsOfStore,
  storeOptions,
} from '../../email-service/store/open-store.ts';
import { sealedColumns as sealedColumnsOfStore } from '../../email-service/store/sealed-secrets.ts';
import { isPostgresUrl, shownDatabaseUrl } from '../../lib/database-url.ts';
import { type Environment, readSome } from '../../lib/settings.ts';
import type { CopiedTables } from '../../lib/sql/copy-tables.ts';
import { isDatabaseOutOfReach } from '../../lib/sql/database-error.ts';
import type { SealedColumn } from '../../lib/sql/sealed-columns.ts';
import {
  type InspectedDatabase,
  inspectSqlDatabase,
  migrateSqlDatabase,
  type OpenSqlOptions,
  unusableDatabase,
} from '../../lib/sql/sql-database.ts';
import { copiedTables, databaseOptions, migrations } from '../../store/database.ts';
import { openLinksByKey } from '../../store/onboarding/setup-links.ts';
import { sealedColumns } from '../../store/sealed-secrets.ts';
import type { ResultContext } from '../command-context.ts';
import { hasSettings } from '../has-settings.ts';
import type { ProgressStream } from '../progress-line.ts';

export const programNames = ['orchestrator', 'email-service'] as const;
export type DatabaseProgram = (typeof programNames)[number];

export interface DatabaseCommandOptions {
  readonly json?: boolean;
  readonly only?: DatabaseProgram;
}

export interface DatabaseCommandContext extends ResultContext {
  readonly progress: ProgressStream;
}

export interface ProgramDatabase {
  readonly program: DatabaseProgram;
  readonly kind: 'sqlite' | 'postgres';
  /** Without a password. */
  readonly url: string;
  /** The variable with its URL. */
  readonly setting: string;
  readonly keys: { readonly setting: string; readonly read: () => readonly Buffer[] };
  readonly sealedColumns: readonly SealedColumn[];
  /** For each key how many open setup links it signed. */
  readonly openLinksByKey: (database: Kysely<unknown>, keys: readonly Buffer[]) => Promise<readonly number[]>;
  readonly tables: CopiedTables;
  /** Applies the pending migrations and returns their names. */
  readonly migrate: () => Promise<readonly string[]>;
  /** Opens it as it is. */
  readonly inspect: () => Promise<InspectedDatabase<unknown>>;
}

const programs = {
  orchestrator: {
    read: (environment: Environment) => {
      const names = ['SENDOFF_DATABASE_URL', 'SENDOFF_DATABASE_PASSWORD_FILE'] as const;
      const read = readSome(settingsTable, names, environment);
      return { url: read.SENDOFF_DATABASE_URL, passwordFile: read.SENDOFF_DATABASE_PASSWORD_FILE };
    },
    readKeys: (environment: Environment) =>
      readSome(settingsTable, ['SENDOFF_SECRET_KEY'], environment).SENDOFF_SECRET_KEY,
    keySetting: 'SENDOFF_SECRET_KEY',
    ...{ migrations, options: databaseOptions, sealedColumns, openLinksByKey, tables: copiedTables },
  },
  'email-service': {
    read: (environment: Environment) => {
      const names = ['EMAIL_SERVICE_DATABASE_URL', 'EMAIL_SERVICE_DATABASE_PASSWORD_FILE'] as const;
      const read = readSome(emailServiceSettings, names, environment);
      return { url: read.EMAIL_SERVICE_DATABASE_URL, passwordFile: read.EMAIL_SERVICE_DATABASE_PASSWORD_FILE };
    },
    readKeys: (environment: Environment) =>
      readSome(emailServiceSettings, ['EMAIL_SERVICE_ENCRYPTION_KEY'], environment).EMAIL_SERVICE_ENCRYPTION_KEY,
    keySetting: 'EMAIL_SERVICE_ENCRYPTION_KEY',
    ...{ migrations: migrationsOfStore, options: storeOptions },
    ...{ sealedColumns: sealedColumnsOfStore, tables: copiedTablesOfStore },
    openLinksByKey: async (_: unknown, keys: readonly Buffer[]) => keys.map(() => 0),
  },
};

/** In a URL of the command line a password wins over the file of the settings, which may be that of another database. */
export function databaseAt(
  program: DatabaseProgram,
  url: string,
  environment: Environment,
  connection: OpenSqlOptions = {},
): ProgramDatabase {
  const { keySetting, readKeys, read, options, migrations, ...ofProgram } = programs[program];
  const configured = read(environment);
  const hasPassword = url !== configured.url && isPostgresUrl(url) && new URL(url).password !== '';
  const opening = { ...options, ...connection, passwordFile: hasPassword ? undefined : configured.passwordFile };
  return {
    program,
    kind: isPostgresUrl(url) ? 'postgres' : 'sqlite',
    url: shownDatabaseUrl(url),
    setting: options.setting,
    keys: { setting: keySetting, read: () => readKeys(environment) },
    ...ofProgram,
    migrate: () => migrateSqlDatabase(url, migrations, opening),
    inspect: () => inspectSqlDatabase(url, migrations, opening),
  };
}

/** Opens a database as it is, and closes it. Its errors name its setting and URL. */
export async function withDatabase<Result>(
  { url, setting, inspect }: ProgramDatabase,
  use: (inspected: InspectedDatabase<unknown>) => Promise<Result>,
): Promise<Result> {
  const inspected = await inspect();
  try {
    return await use(inspected);
  } catch (error) {
    throw isDatabaseOutOfReach(error) ? unusableDatabase(url, { setting }, error) : error;
  } finally {
    await inspected.database.destroy();
  }
}

/** The database that the settings name. */
export const configuredDatabase = (
  program: DatabaseProgram,
  environment: Environment,
  connection: OpenSqlOptions = {},
): ProgramDatabase => databaseAt(program, programs[program].read(environment).url, environment, connection);

/** The databases that the settings name: the orchestrator's, and the email service's if it has settings here. */
export function chosenDatabases(
  { only }: Pick<DatabaseCommandOptions, 'only'>,
  environment: Environment,
): readonly ProgramDatabase[] {
  const hasEmailService = hasSettings(environment, 'EMAIL_SERVICE_');
  const chosen =
    only === undefined ? programNames.filter((name) => name === 'orchestrator' || hasEmailService) : [only];
  return chosen.map((program) => configuredDatabase(program, environment));
}
