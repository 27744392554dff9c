import { randomUUID } from 'node:crypto';
import type { Client, WorkflowHandle } from '@temporalio/client';
import type { ScheduleToKeep } from '../../lib/temporal/keep-schedule.ts';
import { CHECK_TASK_QUEUE, PRODUCERS_SCHEDULE_ID, PRODUCERS_WORKFLOW_TYPE } from '../../workflows/messages.ts';

/** Of the Namespace of the checks: the catalogue's sweep. @param isOn whether AGENTS.md checks are */
export const producersSchedule = (isOn: boolean): ScheduleToKeep => ({
  scheduleId: PRODUCERS_SCHEDULE_ID,
  isOff: !isOn,
  everyMs: 5 * 60_000,
  workflowType: PRODUCERS_WORKFLOW_TYPE,
  taskQueue: CHECK_TASK_QUEUE,
  summary: 'Check the AGENTS.md of the producers that are due',
});

/** Starts the sweep now, without waiting for the Schedule. */
export async function startProducersSweep(client: Client): Promise<WorkflowHandle> {
  return client.workflow.start(PRODUCERS_WORKFLOW_TYPE, {
    // Its own: one that is running may have looked for due producers before the caller's change.
    workflowId: `${PRODUCERS_SCHEDULE_ID}/${randomUUID()}`,
    taskQueue: CHECK_TASK_QUEUE,
    args: [],
    staticSummary: producersSchedule(true).summary,
  });
}
