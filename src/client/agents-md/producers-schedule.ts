import { randomUUID } from 'node:crypto';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { deleteSchedule, keepSchedule, type ScheduleToKeep } from '../../lib/temporal/keep-schedule.ts';
import { scheduleSingleton, type Singleton } from '../../lib/temporal/singletons.ts';
import { CHECK_TASK_QUEUE, PRODUCERS_SCHEDULE_ID, PRODUCERS_WORKFLOW_TYPE } from '../../workflows/messages.ts';

const schedule: ScheduleToKeep = {
  scheduleId: PRODUCERS_SCHEDULE_ID,
  everyMs: 5 * 60_000,
  workflowType: PRODUCERS_WORKFLOW_TYPE,
  taskQueue: CHECK_TASK_QUEUE,
  summary: 'Check the AGENTS.md of the producers that are due',
};

/** In the Namespace of the checks. @param isOn whether AGENTS.md checks are */
export const producersSingletons = (client: Client, isOn: boolean): readonly Singleton[] =>
  isOn ? [scheduleSingleton(client, schedule)] : [];

/** Creates the Schedule of the catalogue's sweep, or deletes it if the check is off; each Worker does so when it starts. */
export async function keepProducersSchedule(client: Client, isOn: boolean): Promise<void> {
  if (isOn) await keepSchedule(client, schedule);
  else await deleteSchedule(client, PRODUCERS_SCHEDULE_ID);
}

/** Starts the sweep now, without waiting for the Schedule. */
export async function startProducersSweep(client: Client): Promise<WorkflowHandle> {
  return client.workflow.start(PRODUCERS_WORKFLOW_TYPE, {
    // Its own: one that is running may have looked for due producers before the caller's change.
    workflowId: `${PRODUCERS_SCHEDULE_ID}/${randomUUID()}`,
    taskQueue: CHECK_TASK_QUEUE,
    args: [],
    staticSummary: schedule.summary,
  });
}
