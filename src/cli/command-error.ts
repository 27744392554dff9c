/** Something the person at the terminal can mend: shown as one message, without a stack. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  /** A stable word for scripts; absent for errors of the command line itself. */
  readonly code: string | undefined;

  constructor(message: string, code?: string) {
    super(message);
    this.code = code;
  }
}
