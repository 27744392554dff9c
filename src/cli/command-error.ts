/** An error that the user can fix; printed without a stack trace. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  /** Stable, for scripts; absent for errors in the command line. */
  readonly code: string | undefined;

  constructor(message: string, { code, cause }: { code?: string | undefined; cause?: unknown } = {}) {
    super(message, cause === undefined ? {} : { cause });
    this.code = code;
  }
}
