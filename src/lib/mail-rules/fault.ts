/** Why a value is refused. */
export interface Fault {
  readonly code: string;
  /** A sentence: what was expected, what was found, and where needed what to do. */
  readonly detail: string;
}

export const fault = (code: string, detail: string): Fault => ({ code, detail });
