/** An error that the user can fix; printed without a stack trace. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  /** Stable, for scripts; absent for errors in the command line. */
  readonly code: string | undefined;
  /** Beside code and message in the JSON of the command. */
  readonly fields: Readonly<Record<string, unknown>>;

  constructor(
    message: string,
    { code, cause, fields = {} }: { code?: string | undefined; cause?: unknown; fields?: CommandError['fields'] } = {},
  ) {
    super(message, cause === undefined ? {} : { cause });
    this.code = code;
    this.fields = fields;
  }
}
