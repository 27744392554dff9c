import { DatabaseSync } from '@photostructure/sqlite';
import { existsSync } from 'node:fs';
import { type Kysely, sql } from 'kysely';
import { isPostgres } from './transactions.ts';

/** Name of the connections that copy: they do not count as users of the database. */
export const COPY_APPLICATION_NAME = 'sendoff store copy';

/** A program that has just been stopped writes its last commits to the file. */
const CLOSING_MS = 2_000;

/** Whether a program, of sendoff or another one, has the SQLite file open. Call it before this process opens the file. */
export function isFileOpen(path: string): boolean {
  if (!existsSync(path)) return false;
  const file = new DatabaseSync(path);
  try {
    // SQLite leaves WAL only if no other connection is open: https://www.sqlite.org/wal.html
    file.exec(`PRAGMA busy_timeout = ${String(CLOSING_MS)}; PRAGMA journal_mode = WAL; PRAGMA journal_mode = DELETE`);
    return false;
  } catch (error) {
    if (error instanceof Error && error.message === 'database is locked') return true;
    throw error;
  } finally {
    file.close();
  }
}

/** Whether a program of sendoff is connected to the PostgreSQL database; false for a SQLite file. */
export async function hasOtherPrograms(database: Kysely<unknown>): Promise<boolean> {
  if (!isPostgres(database)) return false;
  const { rows } = await sql`
    select 1 from pg_stat_activity where datname = current_database()
      and application_name like 'sendoff%' and application_name <> ${COPY_APPLICATION_NAME}`.execute(database);
  return rows.length > 0;
}

/** Runs `read` on one state of the tables, which no other transaction changes meanwhile. */
export const withoutWriters = <Result>(
  database: Kysely<unknown>,
  tables: readonly string[],
  read: (transaction: Kysely<unknown>) => Promise<Result>,
): Promise<Result> =>
  database
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (transaction) => {
      // SQLite's transaction holds the write lock.
      if (isPostgres(transaction)) {
        // It is idle while the other database works.
        await sql`set local idle_in_transaction_session_timeout = 0`.execute(transaction);
        await sql`lock table ${sql.join(tables.map((name) => sql.table(name)))} in share mode`.execute(transaction);
      }
      return read(transaction);
    });
