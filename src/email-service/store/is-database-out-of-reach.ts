/** SQLite's result codes for a file that cannot be used at the moment: https://www.sqlite.org/rescode.html */
const OUT_OF_REACH = /^SQLITE_(?:BUSY|LOCKED|FULL|READONLY|IOERR|CANTOPEN)/;

/** The request was fine and may succeed later. */
export const isDatabaseOutOfReach = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && OUT_OF_REACH.test(String(error.code));
