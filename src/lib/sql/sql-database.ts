import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DEFAULT_MIGRATION_TABLE, Kysely, type Migration, Migrator, sql } from 'kysely';
import { fileFault } from '../file-fault.ts';
import { SqliteDialect, type SqliteOptions } from './sqlite-dialect.ts';
import { isBusy } from './sqlite-error.ts';

type Migrations = Readonly<Record<string, Migration>>;

interface OpenSqlOptions extends SqliteOptions {
  /** The variable that holds the URL, for errors. @default 'the database' */
  readonly setting?: string;
}

/**
 * Opens a SQLite file and migrates its schema. Writes only if a migration is pending, so that a program can start while another
 * holds the write lock.
 *
 * @param url `file:PATH`; creates a missing folder
 * @throws with the setting and the URL; a failed migration leaves no trace
 */
export async function openSqlDatabase<Schema>(
  url: string,
  migrations: Migrations,
  options: OpenSqlOptions = {},
): Promise<Kysely<Schema>> {
  const path = pathOf(url);
  const database = await openFile<Schema>(url, options, () => {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    // It holds emails and addresses, so only this user may read it. SQLite gives its other files the same mode.
    closeSync(openSync(path, 'a', 0o600));
  });
  return orClose(url, options, database, async () => {
    const { pending, unknown } = compared(await appliedMigrations(database), migrations);
    if (pending.length + unknown.length > 0) await migrate(database, migrations);
    return database;
  });
}

export interface InspectedDatabase<Schema> {
  readonly database: Kysely<Schema>;
  /** Migrations that this version has and the database lacks. */
  readonly pending: readonly string[];
  /** Migrations of a later version. */
  readonly unknown: readonly string[];
}

/**
 * Opens an existing SQLite file as it is: neither creates nor migrates it.
 *
 * @throws with the setting and the URL
 */
export async function inspectSqlDatabase<Schema>(
  url: string,
  migrations: Migrations,
  options: OpenSqlOptions = {},
): Promise<InspectedDatabase<Schema>> {
  const database = await openFile<Schema>(url, options, () => {
    closeSync(openSync(pathOf(url), 'r'));
  });
  return orClose(url, options, database, async () => ({
    database,
    ...compared(await appliedMigrations(database), migrations),
  }));
}

const pathOf = (url: string): string => url.replace(/^file:/, '');

async function openFile<Schema>(url: string, options: OpenSqlOptions, prepare: () => void): Promise<Kysely<Schema>> {
  try {
    prepare();
    return new Kysely<Schema>({ dialect: await SqliteDialect.open(pathOf(url), options) });
  } catch (error) {
    throw failure(url, options, 'which cannot be opened', error);
  }
}

async function orClose<Schema, Result>(
  url: string,
  options: OpenSqlOptions,
  database: Kysely<Schema>,
  use: () => Promise<Result>,
): Promise<Result> {
  try {
    return await use();
  } catch (error) {
    await database.destroy();
    throw failure(url, options, 'whose schema could not be brought up to date', error);
  }
}

function failure(url: string, { setting = 'the database' }: OpenSqlOptions, what: string, error: unknown): Error {
  const reason = isBusy(error) ? 'another program holds the lock' : fileFault(error);
  return new Error(`${setting} is ${url}, ${what}: ${reason}`, { cause: error });
}

async function appliedMigrations<Schema>(database: Kysely<Schema>): Promise<readonly string[]> {
  const tables = await sql`select 1 from sqlite_schema where name = ${DEFAULT_MIGRATION_TABLE}`.execute(database);
  if (tables.rows.length === 0) return [];
  const { rows } = await sql<{ name: string }>`select name from ${sql.table(DEFAULT_MIGRATION_TABLE)}`.execute(
    database,
  );
  return rows.map(({ name }) => name);
}

/** The migrator refuses a database with unknown migrations. */
const compared = (applied: readonly string[], migrations: Migrations) => ({
  pending: Object.keys(migrations).filter((name) => !applied.includes(name)),
  unknown: applied.filter((name) => !Object.hasOwn(migrations, name)),
});

/** The migrator takes the write lock even if nothing is pending. */
async function migrate<Schema>(database: Kysely<Schema>, migrations: Migrations): Promise<void> {
  const migrator = new Migrator({ db: database, provider: { getMigrations: async () => migrations } });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) throw error instanceof Error ? error : new Error('the migrator failed', { cause: error });
}

/** "SNDF" in ASCII, which marks the file as sendoff's. */
const APPLICATION_ID = 0x53_4e_44_46;

/**
 * Commits a write, which fails on a database that is locked, full, read-only or gone; taking the write lock alone succeeds on
 * a full disk.
 */
export async function proveWritable<Schema>(database: Kysely<Schema>): Promise<true> {
  await sql`PRAGMA application_id = ${sql.lit(APPLICATION_ID)}`.execute(database);
  return true;
}
