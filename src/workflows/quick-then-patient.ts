import { ApplicationFailure, CancellationScope, isCancellation, TemporalFailure } from '@temporalio/workflow';
import { activityCause } from './activity-cause.ts';

/**
 * What usually succeeds at once, as a Local Activity: one event instead of six. When that did not help, as a regular one,
 * which ops see pending with its attempts.
 *
 * A cancellation does not stop the quick attempts, which are over within seconds; the patient one, or the next wait, is
 * where it ends. A Workflow Task that was lost with its Worker may have run ahead through several steps and recorded
 * none of them: only going the same way again, by the same Idempotency-Keys, brings back what there is to undo. And a
 * Local Activity that is cancelled while it ends can leave a history that Core does not replay (TMPRL1100).
 */
export async function quickThenPatient<Result>(
  quick: () => Promise<Result>,
  patient: () => Promise<Result>,
): Promise<Result> {
  try {
    return await CancellationScope.nonCancellable(quick);
  } catch (error) {
    if (!mayHelpToWait(error)) throw error;
  }
  return patient();
}

function mayHelpToWait(error: unknown): boolean {
  // Nothing but the error itself may decide: in a replay the failure of a Local Activity may come before a cancellation
  // that it came after. When the scope is cancelled, the patient attempt ends at once by itself.
  if (isCancellation(error)) return false;
  const cause = activityCause(error);
  return cause instanceof TemporalFailure && !(cause instanceof ApplicationFailure && cause.nonRetryable === true);
}
