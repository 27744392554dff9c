import { proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { AgentsMdActivities } from '../activities/index.ts';
import type { OutcomeChange } from '../agents-md/outcome-change.ts';
import { announcementOptions } from './activity-options.ts';

const { sendOutcomeChange } = proxyActivities<AgentsMdActivities>(announcementOptions);

/** Takes a change of outcome to the configured webhook; an execution of its own, so that no check waits for the receiver. */
export async function announceOutcomeChange(change: OutcomeChange): Promise<{ sent: boolean }> {
  // The id stays the same however often it is tried: by it the receiver knows a copy.
  return sendOutcomeChange.executeWithOptions({ summary: `Tell of ${change.producerId}` }, [
    { change, eventId: workflowInfo().workflowId },
  ]);
}
