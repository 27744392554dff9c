/** Something the person at the terminal can mend. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  /** A stable word for scripts; absent for errors of the command line itself. */
  readonly code: string | undefined;

  constructor(message: string, { code, cause }: { code?: string | undefined; cause?: unknown } = {}) {
    super(message, cause === undefined ? {} : { cause });
    this.code = code;
  }
}
