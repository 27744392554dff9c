import { CancellationScope, isCancellation } from '@temporalio/workflow';
import { endedByCancel } from '../lib/workflow-waits/poll-until.ts';

/**
 * Whether an error is the effect of a cancellation. A Local Activity that times out also reports CANCEL_REQUESTED, so the
 * scope must be cancelled too.
 */
export const wasCancelled = (error: unknown): boolean =>
  isCancellation(error) || (endedByCancel(error) && CancellationScope.current().consideredCancelled);
