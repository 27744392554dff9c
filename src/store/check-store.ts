import type { PreviousCheck } from '../agents-md/check-result.ts';

export interface StoredCheck {
  readonly check: PreviousCheck;
  /** Names the check that has written it. */
  readonly version: string;
}

/**
 * What the last check of each producer left. Temporal forgets a run when the Namespace's retention is over, which may be
 * sooner than the next run of its Schedule, and a check somebody asks for belongs to no Schedule.
 */
export interface CheckStore {
  get(producerId: string): Promise<StoredCheck | undefined>;
  /**
   * Puts it in the place of what it was judged by. Null when it is there, also from an earlier call with the same
   * version; otherwise what another check has left meanwhile, which stays.
   *
   * @param basedOn the version it was judged by; null: there was nothing
   */
  replace(stored: StoredCheck, basedOn: string | null): Promise<StoredCheck | null>;
}
