/** Why a value is refused. */
export interface Fault {
  readonly code: string;
  /** A sentence that says what was expected, what was found and what to do. */
  readonly detail: string;
}
