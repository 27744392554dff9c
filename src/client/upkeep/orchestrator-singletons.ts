import type { Client } from '@temporalio/client';
import { keepSchedule, type ScheduleToKeep } from '../../lib/temporal/keep-schedule.ts';
import { retentionSchedule } from '../../lib/retention/retention-schedule.ts';
import { scheduleSingletons, type Singleton } from '../../lib/temporal/singletons.ts';
import {
  INSTALLATION_WORKFLOW_ID,
  ONBOARDING_TASK_QUEUE,
  RETENTION_SCHEDULE_ID,
  RETENTION_WORKFLOW_TYPE,
  SWEEP_WORKFLOW_ID,
  WATCH_SCHEDULE_ID,
  WATCH_WORKFLOW_TYPE,
} from '../../workflows/messages.ts';
import { startSweep } from './backend-notifications.ts';

const HOUR_MS = 3_600_000;

/** Of the background Namespace. @param watchIntervalMs undefined: verified domains are not watched */
export const backgroundSchedules = (watchIntervalMs: number | undefined): readonly ScheduleToKeep[] => [
  retentionSchedule({
    scheduleId: RETENTION_SCHEDULE_ID,
    workflowType: RETENTION_WORKFLOW_TYPE,
    taskQueue: ONBOARDING_TASK_QUEUE,
  }),
  {
    scheduleId: WATCH_SCHEDULE_ID,
    isOff: watchIntervalMs === undefined,
    // Drifted domains are due every hour.
    everyMs: Math.min(watchIntervalMs ?? HOUR_MS, HOUR_MS),
    workflowType: WATCH_WORKFLOW_TYPE,
    taskQueue: ONBOARDING_TASK_QUEUE,
    summary: 'Check the verified domains that are due',
  },
];

/** In each Namespace of the orchestrator. @param holdNamespace see joinInstallation */
export const installationSingleton = (holdNamespace: () => Promise<unknown> = () => Promise.resolve()): Singleton => ({
  kind: 'workflow',
  name: INSTALLATION_WORKFLOW_ID,
  ensure: holdNamespace,
});

/** The Workflows and Schedules that the orchestrator runs once for all tenants. @param client of the background Namespace */
export const backgroundSingletons = (client: Client, watchIntervalMs: number | undefined): readonly Singleton[] => [
  { kind: 'workflow', name: SWEEP_WORKFLOW_ID, ensure: () => startSweep(client) },
  ...scheduleSingletons(client, backgroundSchedules(watchIntervalMs)),
];

/** Adapts the Schedules to the settings: when a Worker starts, because processes with other settings would change them in turn. */
export async function keepSchedules(client: Client, watchIntervalMs: number | undefined): Promise<void> {
  for (const schedule of backgroundSchedules(watchIntervalMs)) await keepSchedule(client, schedule);
}
