import { proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { AgentsMdActivities } from '../../activities/index.ts';
import type { OutcomeChange } from '../../agents-md/outcome-change.ts';
import { announcementOptions } from '../activity-options.ts';

const { sendOutcomeChange } = proxyActivities<AgentsMdActivities>(announcementOptions);

/** Posts a changed outcome to the configured webhook. A separate execution, so that no check waits for the receiver. */
export async function announceOutcomeChange(change: OutcomeChange): Promise<{ sent: boolean }> {
  // The same id on every attempt: the receiver uses it to recognize a repetition.
  return sendOutcomeChange.executeWithOptions({ summary: `Announce the changed outcome of ${change.producerId}` }, [
    { change, eventId: workflowInfo().workflowId },
  ]);
}
