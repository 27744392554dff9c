import type { ScheduleToKeep } from '../../lib/temporal/keep-schedule.ts';
import { ONBOARDING_TASK_QUEUE, WATCH_SCHEDULE_ID, WATCH_WORKFLOW_TYPE } from '../../workflows/messages.ts';

const HOUR_MS = 3_600_000;

/** Watches verified domains. */
export const watchSchedule = (intervalMs: number, taskQueue: string = ONBOARDING_TASK_QUEUE): ScheduleToKeep => ({
  scheduleId: WATCH_SCHEDULE_ID,
  // Drifted domains are due every hour.
  everyMs: Math.min(intervalMs, HOUR_MS),
  workflowType: WATCH_WORKFLOW_TYPE,
  taskQueue,
  summary: 'Check the verified domains that are due',
});
