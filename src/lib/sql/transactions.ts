// Transactions with the same promises on both databases.
// `inTransaction` is the only way to write with several statements, so that code written for SQLite's single writer is right on
// PostgreSQL too.
import {
  type Compilable,
  type Kysely,
  PostgresAdapter,
  type QueryExecutorProvider,
  type RawBuilder,
  sql,
  type Transaction,
} from 'kysely';
import { isInFailedTransaction, isTransactionConflict } from './database-error.ts';

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
      return await runOnce(database, work);
    } catch (error) {
      if (repetitions === REPETITIONS_MAX || !isTransactionConflict(error)) throw error;
    }
  }
}

/** The answers that were not awaited, of transactions under way. */
const answersAhead = new WeakMap<QueryExecutorProvider, Promise<unknown>[]>();

async function runOnce<Schema, Result>(
  database: Kysely<Schema>,
  work: (transaction: Transaction<Schema>) => Promise<Result>,
): Promise<Result> {
  const answers: Promise<unknown>[] = [];
  try {
    return await database.transaction().execute((transaction) => {
      answersAhead.set(transaction, answers);
      return work(transaction);
    });
  } catch (error) {
    // The statement that failed says why; those after it, and the commit, do not.
    const errors = (await Promise.allSettled(answers)).map((answer) =>
      answer.status === 'rejected' ? (answer.reason as unknown) : undefined,
    );
    throw errors.find((ahead) => ahead !== undefined && !isInFailedTransaction(ahead)) ?? error;
  }
}

/**
 * Runs a statement whose answer the caller does not need in the transaction. In `inTransaction` on PostgreSQL it costs no round trip: the next
 * statement, or the commit, follows at once. If it fails, so does the transaction, with its error.
 * @returns `answer`: what it returned; await it after the commit
 */
export async function sendAhead<Row>(
  transaction: QueryExecutorProvider,
  query: Compilable<Row>,
): Promise<{ readonly answer: Promise<readonly Row[]> }> {
  const executor = transaction.getExecutor();
  const answers = answersAhead.get(transaction);
  if (!isPostgres(transaction) || answers === undefined) {
    const { rows } = await executor.executeQuery<Row>(query.compile());
    return { answer: Promise.resolve(rows) };
  }
  return executor.provideConnection(async (connection) => {
    const answer = connection.executeQuery<Row>(query.compile()).then(({ rows }) => rows);
    // `inTransaction` reports it, even if the work fails first.
    answer.catch(() => undefined);
    answers.push(answer);
    return { answer };
  });
}

/** Several reads of one moment; it waits for no writer. */
export const inSnapshot = <Schema, Result>(
  database: Kysely<Schema>,
  read: (transaction: Transaction<Schema>) => Promise<Result>,
): Promise<Result> =>
  database.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(read);

/**
 * Sends a lock ahead: when the next statement runs, this transaction holds the name, until it ends. For rows that may not exist yet.
 * SQLite's write lock does the same.
 */
export async function lockName(transaction: QueryExecutorProvider, name: string): Promise<void> {
  if (!isPostgres(transaction)) return;
  const lock = sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`;
  await sendAhead(transaction, { compile: () => lock.compile(transaction) });
}

/** The database's clock, in milliseconds since 1970: the only one that all processes share. */
export const databaseNow = (database: QueryExecutorProvider): RawBuilder<number> =>
  isPostgres(database)
    ? sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`
    : sql<number>`cast(unixepoch('subsec') * 1000 as integer)`;

/** That clock as it is now, to compare with times that are stored as text. */
export async function databaseTime(database: QueryExecutorProvider): Promise<Date> {
  const { rows } = await sql<{ now: number }>`select ${databaseNow(database)} as now`.execute(database);
  return new Date(Number(rows[0]?.now));
}

export const isPostgres = (database: QueryExecutorProvider): boolean =>
  database.getExecutor().adapter instanceof PostgresAdapter;
