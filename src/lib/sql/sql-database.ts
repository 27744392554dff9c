// A migration removes nothing that the previous release uses, so that two releases run side by side.
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import {
  DEFAULT_MIGRATION_TABLE,
  type Dialect,
  Kysely,
  type Migration,
  Migrator,
  type QueryExecutorProvider,
  sql,
} from 'kysely';
import { counted } from '../counted.ts';
import { fileFault } from '../file-fault.ts';
import { type DatabaseLocation, isPostgresUrl, parseDatabaseUrl, shownDatabaseUrl } from '../database-url.ts';
import { postgresDialect, type PostgresOptions } from './postgres-dialect.ts';
import { type DatabaseOwner, ForeignDatabaseError, refuseForeignTables } from './refuse-foreign-tables.ts';
import { openSqliteDialect } from './sqlite-dialect.ts';
import type { SqliteOptions } from './sqlite-file.ts';
import { isBusy } from './sqlite-error.ts';
import { isPostgres } from './transactions.ts';

type Migrations = Readonly<Record<string, Migration>>;

export interface OpenSqlOptions extends SqliteOptions, PostgresOptions {
  /** The variable that holds the URL, for errors. @default 'the database' */
  readonly setting?: string;
  /** Schema of the tables on PostgreSQL, so that both programs can use one database. @default 'sendoff' */
  readonly schema?: string;
  /** The program whose tables they are; a database with others is refused. @default any */
  readonly owner?: DatabaseOwner;
}

const SCHEMA_DEFAULT = 'sendoff';
export const MIGRATE_COMMAND = 'sendoff migrate';

/** PostgreSQL is migrated by a command, because several programs use it; they only check it when they start. */
export class NotMigratedError extends Error {
  override readonly name = 'NotMigratedError';
}

/**
 * Opens a database whose schema has all migrations. Migrates a SQLite file, and writes only if a migration is pending, so that a
 * program can start while another holds the write lock.
 *
 * @param url `file:PATH`, which creates a missing folder, or `postgres:…`
 * @throws NotMigratedError on PostgreSQL. Migrations of a later version are accepted there: both versions run during an upgrade
 * @throws with the setting and the URL; a failed migration leaves no trace
 */
export async function openSqlDatabase<Schema>(
  url: string,
  migrations: Migrations,
  options: OpenSqlOptions = {},
): Promise<Kysely<Schema>> {
  const database = await connect<Schema>(url, options, { create: true });
  return orClose(url, options, database, async () => {
    const { pending, unknown } = compared(await appliedMigrations(database), migrations);
    if (isPostgresUrl(url)) {
      if (pending.length > 0) throw new NotMigratedError(whatIsPending(url, pending, options));
    } else if (pending.length + unknown.length > 0) {
      await migrate(database, migrations, options);
    }
    return database;
  });
}

const whatIsPending = (url: string, pending: readonly string[], options: OpenSqlOptions): string =>
  `${named(url, options)}, which lacks ${counted(pending.length, 'migration')} of this version: ${pending.join(', ')}. Apply them with: ${MIGRATE_COMMAND}`;

/**
 * Applies the pending migrations, in one transaction. Of several programs that migrate at once, one does it and the others wait.
 * Does nothing to a database that a later version has migrated.
 *
 * @returns the names of those that it applied
 * @throws with the setting and the URL
 */
export async function migrateSqlDatabase(
  url: string,
  migrations: Migrations,
  options: OpenSqlOptions = {},
): Promise<readonly string[]> {
  const database = await connect<unknown>(url, { ...options, statementTimeoutMs: 0 }, { create: true });
  return orClose(url, options, database, async () => {
    const { pending } = compared(await appliedMigrations(database), migrations);
    const applied = pending.length === 0 ? [] : await migrate(database, migrations, options);
    await database.destroy();
    return applied;
  });
}

export interface InspectedDatabase<Schema> {
  readonly database: Kysely<Schema>;
  /** Migrations that this version has and the database lacks. */
  readonly pending: readonly string[];
  /** Migrations of a later version. */
  readonly unknown: readonly string[];
  /** It has no tables yet. */
  readonly isNew: boolean;
}

/**
 * Opens an existing database as it is: neither creates nor migrates it.
 *
 * @throws with the setting and the URL
 */
export async function inspectSqlDatabase<Schema>(
  url: string,
  migrations: Migrations,
  options: OpenSqlOptions = {},
): Promise<InspectedDatabase<Schema>> {
  const database = await connect<Schema>(url, options, { create: false });
  return orClose(url, options, database, async () => ({
    database,
    ...compared(await appliedMigrations(database), migrations),
  }));
}

async function connect<Schema>(
  url: string,
  options: OpenSqlOptions,
  { create }: { readonly create: boolean },
): Promise<Kysely<Schema>> {
  try {
    const location = parseDatabaseUrl(url);
    if (location.kind === 'sqlite') prepareFile(location.path, create);
    return new Kysely<Schema>({ dialect: await dialectOf(location, options) });
  } catch (error) {
    throw failure(url, options, 'which cannot be opened', error);
  }
}

function prepareFile(path: string, create: boolean): void {
  if (!create) {
    closeSync(openSync(path, 'r'));
    return;
  }
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  // It holds emails and addresses, so only this user may read it. SQLite gives its other files the same mode.
  closeSync(openSync(path, 'a', 0o600));
}

const dialectOf = (location: DatabaseLocation, options: OpenSqlOptions): Promise<Dialect> | Dialect =>
  location.kind === 'sqlite'
    ? openSqliteDialect(location.path, options)
    : postgresDialect(location, options.schema ?? SCHEMA_DEFAULT, options);

async function orClose<Schema, Result>(
  url: string,
  options: OpenSqlOptions,
  database: Kysely<Schema>,
  use: () => Promise<Result>,
): Promise<Result> {
  try {
    if (isPostgresUrl(url)) {
      await refuseSharedSessions(database, options);
      await refuseEncoding(database);
    }
    const { owner, schema = SCHEMA_DEFAULT } = options;
    if (owner !== undefined) await refuseForeignTables(database, owner, schema);
    return await use();
  } catch (error) {
    await database.destroy();
    if (error instanceof NotMigratedError) throw error;
    if (error instanceof ForeignDatabaseError)
      throw new ForeignDatabaseError(`${named(url, options)}, ${error.message}`);
    const what = isPostgresUrl(url) ? 'which cannot be used' : 'whose schema could not be brought up to date';
    throw failure(url, options, what, error);
  }
}

/** One can miss it: behind a busy pooler, another program may have taken the session between two statements. */
const COMPARISONS = 10;

/** A pooler that gives each transaction another session loses the search path, or gives it to other programs. */
async function refuseSharedSessions<Schema>(database: Kysely<Schema>, { connections }: OpenSqlOptions): Promise<void> {
  const sessionOf = async (connection: QueryExecutorProvider): Promise<number | undefined> =>
    (await sql<{ id: number }>`select pg_backend_pid() as id`.execute(connection)).rows[0]?.id;
  const isShared = await database.connection().execute(async (one) => {
    const id = await sessionOf(one);
    for (let comparisons = 0; comparisons < COMPARISONS; comparisons += 1) {
      const other = connections === 1 ? undefined : await database.transaction().execute(sessionOf);
      if (other === id || (await sessionOf(one)) !== id) return true;
    }
    return false;
  });
  if (isShared) {
    throw new Error(
      'the connection pooler in front of it gives each transaction another session. Let it keep one for each connection (PgBouncer: pool_mode = session), or connect to PostgreSQL itself',
    );
  }
}

/** Any other cannot hold every text that callers send. */
async function refuseEncoding<Schema>(database: Kysely<Schema>): Promise<void> {
  const { rows } = await sql<{ encoding: string }>`select current_setting('server_encoding') as encoding`.execute(
    database,
  );
  const encoding = rows[0]?.encoding;
  if (encoding !== 'UTF8')
    throw new Error(
      `its encoding is ${String(encoding)}, not UTF8. Create it with: create database … encoding 'UTF8' template template0`,
    );
}

/** An error of a database that is open, with its setting and URL. */
export const unusableDatabase = (url: string, options: OpenSqlOptions, error: unknown): Error =>
  failure(url, options, 'which cannot be used', error);

function failure(url: string, options: OpenSqlOptions, what: string, error: unknown): Error {
  const reason = isBusy(error) ? 'another program holds the lock' : fileFault(error);
  return new Error(`${named(url, options)}, ${what}: ${reason}`, { cause: error });
}

const named = (url: string, { setting = 'the database' }: OpenSqlOptions): string =>
  `${setting} is ${shownDatabaseUrl(url)}`;

async function appliedMigrations<Schema>(database: Kysely<Schema>): Promise<readonly string[]> {
  if (!(await hasTable(database, DEFAULT_MIGRATION_TABLE))) return [];
  const { rows } = await sql<{ name: string }>`select name from ${sql.table(DEFAULT_MIGRATION_TABLE)}`.execute(
    database,
  );
  return rows.map(({ name }) => name);
}

export async function hasTable<Schema>(database: Kysely<Schema>, name: string): Promise<boolean> {
  const { rows } = isPostgres(database)
    ? await sql`select 1 where to_regclass(${name}) is not null`.execute(database)
    : await sql`select 1 from sqlite_schema where name = ${name}`.execute(database);
  return rows.length > 0;
}

/** The migrator refuses a database with unknown migrations. */
const compared = (applied: readonly string[], migrations: Migrations) => ({
  pending: Object.keys(migrations).filter((name) => !applied.includes(name)),
  unknown: applied.filter((name) => !Object.hasOwn(migrations, name)),
  isNew: applied.length === 0,
});

/** The migrator takes a lock even if nothing is pending. */
async function migrate<Schema>(
  database: Kysely<Schema>,
  migrations: Migrations,
  { schema = SCHEMA_DEFAULT }: OpenSqlOptions,
): Promise<readonly string[]> {
  const migrator = new Migrator({
    db: database,
    provider: { getMigrations: async () => migrations },
    ...(isPostgres(database) ? { migrationTableSchema: schema } : {}),
  });
  const { error, results = [] } = await migrator.migrateToLatest();
  if (error !== undefined) throw error instanceof Error ? error : new Error('the migrator failed', { cause: error });
  return results.map(({ migrationName }) => migrationName);
}
