// The meaning of both databases' errors: https://www.sqlite.org/rescode.html,
// https://www.postgresql.org/docs/current/errcodes-appendix.html

/** PostgreSQL did not answer: no connection, or one that was lost. */
export class DatabaseConnectionError extends Error {
  override readonly name = 'DatabaseConnectionError';

  constructor(cause: unknown) {
    super(reasonOf(cause), { cause });
  }
}

/** Addresses are tried one after the other, and each has its error. */
function reasonOf(cause: unknown): string {
  if (cause instanceof AggregateError) return cause.errors.map(reasonOf).join('; ');
  return cause instanceof Error ? cause.message : String(cause);
}

const SQLITE_OUT_OF_REACH = /^SQLITE_(?:BUSY|LOCKED|FULL|READONLY|IOERR|CANTOPEN|ABORT)/;
/**
 * Connection, resources, shutdown, read-only (a standby), and what a limit on time has ended. The last two are conflicts that came
 * back after they were repeated.
 */
const POSTGRES_OUT_OF_REACH = /^(?:08...|53...|57P0[1-5]|25006|25P0[34]|55P03|57014|40001|40P01)$/;

/** The database is temporarily unusable: the same request may succeed later. */
export const isDatabaseOutOfReach = (error: unknown): boolean =>
  error instanceof DatabaseConnectionError ||
  SQLITE_OUT_OF_REACH.test(codeOf(error)) ||
  POSTGRES_OUT_OF_REACH.test(codeOf(error));

/** PostgreSQL ended the transaction because of another one (serialization_failure, deadlock_detected): repeat it. */
export const isTransactionConflict = (error: unknown): boolean => /^(?:40001|40P01)$/.test(codeOf(error));

/** This user may not create any (insufficient_privilege). */
export const refusesTemporaryTables = (error: unknown): boolean => codeOf(error) === '42501';

/** An earlier statement of the transaction failed (in_failed_sql_transaction). */
export const isInFailedTransaction = (error: unknown): boolean => codeOf(error) === '25P02';

/** The column, as `table.column`, whose null the database refused (not_null_violation). */
export function refusedNull(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, table, column } = error as { code?: unknown; table?: unknown; column?: unknown };
  if (code === '23502') return `${String(table)}.${String(column)}`;
  return /^NOT NULL constraint failed: (\S+)$/.exec(error.message)?.[1];
}

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '');
