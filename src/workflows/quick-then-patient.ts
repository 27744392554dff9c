import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  isCancellation,
  TemporalFailure,
} from '@temporalio/workflow';

/**
 * Runs a Local Activity first, because one event is cheaper than six, and a regular Activity if that fails: the Temporal
 * UI shows its attempts.
 *
 * A cancellation takes effect in the patient attempt or the next wait, not in the quick attempts, for two reasons. A lost
 * Workflow Task may have run several steps and recorded none: only repeating them by the same Idempotency-Keys finds what
 * there is to undo. And a Local Activity cancelled just as it ends can leave a history that does not replay (TMPRL1100).
 */
export async function quickThenPatient<Result>(
  quick: () => Promise<Result>,
  patient: () => Promise<Result>,
): Promise<Result> {
  try {
    return await CancellationScope.nonCancellable(quick);
  } catch (error) {
    if (!isWorthWaiting(error)) throw error;
  }
  return patient();
}

/** One quick attempt, for a wait that asks again: null if the attempt fails and a patient one may not. */
export const quickOrNull = <Result>(quick: () => Promise<Result | null>): Promise<Result | null> =>
  quickThenPatient(quick, () => Promise.resolve(null));

/** The error that an Activity threw: the failure of a regular Activity arrives wrapped in an ActivityFailure, a Local Activity's does not. */
export const activityCause = (error: unknown): unknown => (error instanceof ActivityFailure ? error.cause : error);

function isWorthWaiting(error: unknown): boolean {
  // Decide by the error alone: on replay, the failure may arrive before a cancellation that originally came first. In a
  // cancelled scope, the patient attempt ends at once.
  if (isCancellation(error)) return false;
  const cause = activityCause(error);
  return cause instanceof TemporalFailure && !(cause instanceof ApplicationFailure && cause.nonRetryable === true);
}
