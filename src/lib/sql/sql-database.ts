import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DEFAULT_MIGRATION_TABLE, Kysely, type Migration, Migrator, sql } from 'kysely';
import { fileFault } from '../file-fault.ts';
import { SqliteDialect, type SqliteOptions } from './sqlite-dialect.ts';
import { isBusy } from './sqlite-error.ts';

type Migrations = Readonly<Record<string, Migration>>;

/**
 * Opens a SQLite file and migrates its schema. Writes only if a migration is pending, so that a program can start while another
 * holds the write lock.
 *
 * @param url `file:PATH`; creates a missing folder
 * @param options.setting the variable that holds the URL, for errors
 * @throws with the setting and the URL; a failed migration leaves no trace
 */
export async function openSqlDatabase<Schema>(
  url: string,
  migrations: Migrations,
  { setting = 'the database', ...options }: SqliteOptions & { readonly setting?: string } = {},
): Promise<Kysely<Schema>> {
  const path = url.replace(/^file:/, '');
  const failure = (what: string, error: unknown): Error => {
    const reason = isBusy(error) ? 'another program holds the lock' : fileFault(error);
    return new Error(`${setting} is ${url}, ${what}: ${reason}`, { cause: error });
  };
  let dialect: SqliteDialect;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    // It holds emails and addresses, so only this user may read it. SQLite gives its other files the same mode.
    closeSync(openSync(path, 'a', 0o600));
    dialect = await SqliteDialect.open(path, options);
  } catch (error) {
    throw failure('which cannot be opened', error);
  }
  const database = new Kysely<Schema>({ dialect });
  try {
    if (!(await isUpToDate(database, migrations))) await migrate(database, migrations);
    return database;
  } catch (error) {
    await database.destroy();
    throw failure('whose schema could not be brought up to date', error);
  }
}

/** Also false for a database of a later version, which the migrator refuses. */
async function isUpToDate<Schema>(database: Kysely<Schema>, migrations: Migrations): Promise<boolean> {
  const tables = await sql`select 1 from sqlite_schema where name = ${DEFAULT_MIGRATION_TABLE}`.execute(database);
  if (tables.rows.length === 0) return false;
  const { rows } = await sql<{ name: string }>`select name from ${sql.table(DEFAULT_MIGRATION_TABLE)}`.execute(
    database,
  );
  return rows.length === Object.keys(migrations).length && rows.every(({ name }) => Object.hasOwn(migrations, name));
}

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
