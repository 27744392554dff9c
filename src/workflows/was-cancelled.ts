import { CancellationScope, isCancellation } from '@temporalio/workflow';
import { endedByCancel } from '../lib/waiting/poll-until.ts';

/**
 * Whether an error is how a step noticed that the onboarding was cancelled. A Local Activity whose time ran out says
 * CANCEL_REQUESTED too although nobody cancelled, so the scope must say so as well.
 */
export const wasCancelled = (error: unknown): boolean =>
  isCancellation(error) || (endedByCancel(error) && CancellationScope.current().consideredCancelled);
