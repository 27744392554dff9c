import type { PreviousCheck } from '../agents-md/check-result.ts';

/**
 * What the last check of each producer left. Temporal forgets a run when the Namespace's retention is over, which may be
 * sooner than the next run of its Schedule, and a check somebody asks for belongs to no Schedule.
 */
export interface CheckStore {
  get(producerId: string): Promise<PreviousCheck | undefined>;
  /** Keeps it, unless what a later check left is there already. */
  put(check: PreviousCheck): Promise<void>;
}
