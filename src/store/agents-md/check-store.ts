import type { PreviousCheck } from '../../agents-md/check-result.ts';

export interface StoredCheck {
  readonly check: PreviousCheck;
  /** The Run Id of the check that wrote it. */
  readonly version: string;
}

/**
 * The last check of each producer. Temporal forgets a run after the Namespace's retention, which may be shorter than the period
 * of a Schedule, and a requested check belongs to no Schedule.
 */
export interface CheckStore {
  get(producerId: string): Promise<StoredCheck | undefined>;
  /**
   * Replaces the row that the check was judged by. Returns null if the row now holds this version; otherwise the row that another
   * check has written meanwhile, which stays.
   *
   * @param basedOn the version it was judged by; null: there was none
   */
  replace(stored: StoredCheck, basedOn: string | null): Promise<StoredCheck | null>;
}
