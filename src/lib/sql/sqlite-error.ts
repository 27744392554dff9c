// SQLite's result codes: https://www.sqlite.org/rescode.html

/** `code` is SQLite's name of the reason, such as SQLITE_BUSY. */
export class SqliteError extends Error {
  override readonly name = 'SqliteError';
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Another program, or another connection of this one, holds the lock. */
export const isBusy = (error: unknown): boolean => error instanceof SqliteError && error.code.startsWith('SQLITE_BUSY');

export const rolledBack = (): SqliteError =>
  new SqliteError('SQLITE_ABORT_ROLLBACK', 'SQLite rolled this transaction back after an earlier error');
