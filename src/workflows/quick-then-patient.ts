import { ApplicationFailure, isCancellation, TemporalFailure } from '@temporalio/workflow';
import { activityCause } from './activity-cause.ts';

/**
 * What usually succeeds at once, as a Local Activity: one event instead of six. When that did not help, as a regular one,
 * which ops see pending with its attempts.
 */
export async function quickThenPatient<Result>(
  quick: () => Promise<Result>,
  patient: () => Promise<Result>,
): Promise<Result> {
  try {
    return await quick();
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
