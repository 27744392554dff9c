import type { ScheduleToKeep } from '../temporal/keep-schedule.ts';

const HOUR_MS = 3_600_000;
export const retentionSchedule = (
  program: Pick<ScheduleToKeep, 'scheduleId' | 'workflowType' | 'taskQueue'>,
): ScheduleToKeep => ({
  ...program,
  everyMs: HOUR_MS,
  // Other Schedules start on the hour.
  offsetMs: HOUR_MS / 2,
  summary: 'Remove what is past its retention',
});
