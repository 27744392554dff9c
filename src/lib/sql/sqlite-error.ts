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

const OUT_OF_REACH = /^SQLITE_(?:BUSY|LOCKED|FULL|READONLY|IOERR|CANTOPEN|ABORT)/;

/** The database is temporarily unusable: the same request may succeed later. */
export const isDatabaseOutOfReach = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && OUT_OF_REACH.test(String(error.code));
