// Transactions with the same promises on both databases.
import {
  type Kysely,
  PostgresAdapter,
  type QueryExecutorProvider,
  type RawBuilder,
  sql,
  type Transaction,
} from 'kysely';
import { isTransactionConflict } from './database-error.ts';

const REPETITIONS_MAX = 2;

/**
 * Runs `work` in a transaction, and all of it again, at most twice, if PostgreSQL ended it because of another transaction.
 * On PostgreSQL two transactions run at once: lock what is read before it is written (`forUpdate`, `lockName`). On SQLite one does.
 */
export async function inTransaction<Schema, Result>(
  database: Kysely<Schema>,
  work: (transaction: Transaction<Schema>) => Promise<Result>,
): Promise<Result> {
  for (let repetitions = 0; ; repetitions += 1) {
    try {
      return await database.transaction().execute(work);
    } catch (error) {
      if (repetitions === REPETITIONS_MAX || !isTransactionConflict(error)) throw error;
    }
  }
}

/** Several reads of one moment; it waits for no writer. */
export const inSnapshot = <Schema, Result>(
  database: Kysely<Schema>,
  read: (transaction: Transaction<Schema>) => Promise<Result>,
): Promise<Result> =>
  database.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(read);

/**
 * Waits until no other transaction holds the name, and holds it until the commit: for rows that may not exist yet. SQLite's write
 * lock does the same.
 */
export async function lockName(transaction: QueryExecutorProvider, name: string): Promise<void> {
  if (!isPostgres(transaction)) return;
  await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(transaction);
}

/** The database's clock, in milliseconds since 1970: the only one that all processes share. */
export const databaseNow = (database: QueryExecutorProvider): RawBuilder<number> =>
  isPostgres(database)
    ? sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`
    : sql<number>`cast(unixepoch('subsec') * 1000 as integer)`;

export const isPostgres = (database: QueryExecutorProvider): boolean =>
  database.getExecutor().adapter instanceof PostgresAdapter;
