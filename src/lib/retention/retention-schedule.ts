import type { Client } from '@temporalio/client';
import { keepSchedule, type ScheduleToKeep } from '../temporal/keep-schedule.ts';

const HOUR_MS = 3_600_000;

/** Keeps the Schedule that removes what is past its retention. */
export const keepRetentionSchedule = (
  client: Client,
  program: Pick<ScheduleToKeep, 'scheduleId' | 'workflowType' | 'taskQueue'>,
): Promise<void> =>
  keepSchedule(client, {
    ...program,
    everyMs: HOUR_MS,
    // Other Schedules start on the hour.
    offsetMs: HOUR_MS / 2,
    summary: 'Remove what is past its retention',
  });
