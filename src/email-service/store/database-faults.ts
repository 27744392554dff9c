// What the API needs to tell apart among the errors of a database driver, by their codes.

/** SQLite's https://www.sqlite.org/rescode.html, the codes with which a file cannot be used at the moment. */
const OUT_OF_REACH = /^SQLITE_(?:BUSY|LOCKED|FULL|READONLY|IOERR|CANTOPEN)/;
const UNIQUE_VIOLATIONS: readonly string[] = ['SQLITE_CONSTRAINT_UNIQUE', 'SQLITE_CONSTRAINT_PRIMARYKEY'];

export const isUniqueViolation = (error: unknown): boolean => UNIQUE_VIOLATIONS.includes(codeOf(error));

/** The request was fine and may succeed later. */
export const isDatabaseOutOfReach = (error: unknown): boolean => OUT_OF_REACH.test(codeOf(error));

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
