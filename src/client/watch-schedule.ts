import {
  type Client,
  ScheduleAlreadyRunning,
  type ScheduleDescription,
  ScheduleNotFoundError,
  type ScheduleOptions,
  ScheduleOverlapPolicy,
} from '@temporalio/client';
import { ONBOARDING_TASK_QUEUE, WATCH_SCHEDULE_ID, WATCH_WORKFLOW_TYPE } from '../workflows/messages.ts';
import { timely } from './timely.ts';

const HOUR_MS = 3_600_000;
/** A sweep checks everything that is due, so an outage is made up for by one run. */
const CATCHUP_WINDOW_MS = 60_000;

function watchSchedule(intervalMs: number, taskQueue: string) {
  return {
    scheduleId: WATCH_SCHEDULE_ID,
    // Drifted domains are due every hour.
    spec: { intervals: [{ every: Math.min(intervalMs, HOUR_MS) }] satisfies [object] },
    // The sweep after a long one finds what fell due meanwhile.
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: CATCHUP_WINDOW_MS },
    action: {
      type: 'startWorkflow',
      workflowType: WATCH_WORKFLOW_TYPE,
      // Temporal appends the time of each run.
      workflowId: WATCH_SCHEDULE_ID,
      taskQueue,
      args: [],
      staticSummary: 'Check the verified domains that are due',
    },
  } satisfies ScheduleOptions;
}

/**
 * Creates the Schedule that watches verified domains, or adapts it to a changed interval; a paused Schedule stays paused.
 *
 * @param intervalMs undefined: deletes it
 */
export async function keepWatchSchedule(
  client: Client,
  intervalMs: number | undefined,
  taskQueue: string = ONBOARDING_TASK_QUEUE,
): Promise<void> {
  if (intervalMs === undefined) return deleteWatchSchedule(client);
  const wanted = watchSchedule(intervalMs, taskQueue);
  try {
    await timely(client, () => client.schedule.create(wanted));
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    const handle = client.schedule.getHandle(WATCH_SCHEDULE_ID);
    const current = await timely(client, () => handle.describe());
    if (isSame(current, wanted)) return;
    await timely(client, () =>
      handle.update(({ state: { paused, note } }) => ({ ...wanted, state: withNote(paused, note) })),
    );
  }
}

export async function deleteWatchSchedule(client: Client): Promise<void> {
  try {
    await timely(client, () => client.schedule.getHandle(WATCH_SCHEDULE_ID).delete());
  } catch (error) {
    if (!(error instanceof ScheduleNotFoundError)) throw error;
  }
}

const withNote = (paused: boolean, note: string | undefined) => ({ paused, ...(note === undefined ? {} : { note }) });

function isSame({ spec, policies, action }: ScheduleDescription, wanted: ReturnType<typeof watchSchedule>): boolean {
  return (
    spec.intervals?.[0]?.every === wanted.spec.intervals[0].every &&
    policies.overlap === wanted.policies.overlap &&
    policies.catchupWindow === wanted.policies.catchupWindow &&
    action.taskQueue === wanted.action.taskQueue &&
    action.workflowType === wanted.action.workflowType
  );
}
