// Leaf library: opens a SQLite file through kysely and brings its schema up to date.
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { Kysely, type Migration, Migrator, sql } from 'kysely';
import { fileFault } from './file-fault.ts';
import { SqliteDialect, type SqliteOptions } from './sqlite-dialect.ts';

/**
 * @param url `file:PATH`; creates a missing folder
 * @param options.setting the variable that holds the URL, for errors
 * @throws when a migration fails; nothing of it stays then
 */
export async function openSqlDatabase<Schema>(
  url: string,
  migrations: Readonly<Record<string, Migration>>,
  { setting = 'the database', ...options }: SqliteOptions & { readonly setting?: string } = {},
): Promise<Kysely<Schema>> {
  const path = url.replace(/^file:/, '');
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    // It holds emails and addresses: no other user of the machine may read it. SQLite gives its other files the same mode.
    closeSync(openSync(path, 'a', 0o600));
  } catch (error) {
    throw new Error(`${setting} is ${url}, which cannot be opened: ${fileFault(error)}`, { cause: error });
  }
  const database = new Kysely<Schema>({ dialect: await SqliteDialect.open(path, options) });
  const migrator = new Migrator({ db: database, provider: { getMigrations: async () => migrations } });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) {
    await database.destroy();
    throw new Error(`the schema of ${url} could not be brought up to date`, { cause: error });
  }
  return database;
}

/** "SNDF" in ASCII, which tells the file from other SQLite files. */
const APPLICATION_ID = 0x53_4e_44_46;

/**
 * Commits a write, which a database that is locked, full, read-only or gone refuses; taking the write lock alone would
 * succeed on a full disk. Throws what SQLite says.
 */
export async function proveWritable<Schema>(database: Kysely<Schema>): Promise<true> {
  await sql`PRAGMA application_id = ${sql.lit(APPLICATION_ID)}`.execute(database);
  return true;
}
