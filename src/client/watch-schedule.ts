import type { Client } from '@temporalio/client';
import { deleteSchedule, keepSchedule } from '../lib/temporal/keep-schedule.ts';
import { ONBOARDING_TASK_QUEUE, WATCH_SCHEDULE_ID, WATCH_WORKFLOW_TYPE } from '../workflows/messages.ts';

const HOUR_MS = 3_600_000;

/**
 * Keeps the Schedule that watches verified domains.
 *
 * @param intervalMs undefined: deletes it
 */
export async function keepWatchSchedule(
  client: Client,
  intervalMs: number | undefined,
  taskQueue: string = ONBOARDING_TASK_QUEUE,
): Promise<void> {
  if (intervalMs === undefined) return deleteSchedule(client, WATCH_SCHEDULE_ID);
  await keepSchedule(client, {
    scheduleId: WATCH_SCHEDULE_ID,
    // Drifted domains are due every hour.
    everyMs: Math.min(intervalMs, HOUR_MS),
    workflowType: WATCH_WORKFLOW_TYPE,
    taskQueue,
    summary: 'Check the verified domains that are due',
  });
}
