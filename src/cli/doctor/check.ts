/** `skipped`: not checked, because it does not apply here or needs something that another check reports. */
export type CheckState = 'ok' | 'warning' | 'problem' | 'skipped';

export interface Diagnosis {
  readonly state: CheckState;
  /** The result of the check; one line without secrets. */
  readonly found: string;
  /** The remedy; a command or value to copy is at its end. */
  readonly remedy: string | null;
}

export interface NamedDiagnosis extends Diagnosis {
  readonly name: string;
}

/** Thrown when a check needs something that another check reports as missing. */
export class CannotCheck extends Error {
  override readonly name = 'CannotCheck';
}

export const ok = (found: string): Diagnosis => ({ state: 'ok', found, remedy: null });
export const warning = (found: string, remedy: string): Diagnosis => ({ state: 'warning', found, remedy });
export const problem = (found: string, remedy: string): Diagnosis => ({ state: 'problem', found, remedy });
export const skipped = (found: string, remedy: string | null = null): Diagnosis => ({
  state: 'skipped',
  found,
  remedy,
});

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
