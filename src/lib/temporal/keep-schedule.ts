import {
  type Client,
  ScheduleAlreadyRunning,
  type ScheduleDescription,
  ScheduleNotFoundError,
  type ScheduleOptions,
  ScheduleOverlapPolicy,
} from '@temporalio/client';

/** Programs call it when they start. A Schedule that another one has just created is described late by a busy server. */
const CALL_TIMEOUT_MS = 30_000;
/** A run does everything that is due, so an outage is made up for by one run. */
const CATCHUP_WINDOW_MS = 60_000;

export interface ScheduleToKeep {
  /** Also the ID of its Workflow, to which Temporal appends the time of each run. */
  readonly scheduleId: string;
  readonly everyMs: number;
  /** The settings turn it off. @default false */
  readonly isOff?: boolean;
  /** From the full interval, so that Schedules do not all start at once. @default 0 */
  readonly offsetMs?: number;
  /** Takes no arguments. */
  readonly workflowType: string;
  readonly taskQueue: string;
  /** The summary of each run in the Temporal UI. */
  readonly summary: string;
}

const wantedOptions = ({ scheduleId, everyMs, offsetMs = 0, workflowType, taskQueue, summary }: ScheduleToKeep) =>
  ({
    scheduleId,
    spec: { intervals: [{ every: everyMs, offset: offsetMs }] satisfies [object] },
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: CATCHUP_WINDOW_MS },
    action: {
      type: 'startWorkflow',
      workflowType,
      workflowId: scheduleId,
      taskQueue,
      args: [],
      staticSummary: summary,
    },
  }) satisfies ScheduleOptions;

/** Creates, adapts or deletes the Schedule; a paused Schedule stays paused. Several processes may call it at once. */
export async function keepSchedule(client: Client, schedule: ScheduleToKeep): Promise<void> {
  if (schedule.isOff === true) return deleteSchedule(client, schedule.scheduleId);
  if (await createSchedule(client, schedule)) return;
  const wanted = wantedOptions(schedule);
  const handle = client.schedule.getHandle(wanted.scheduleId);
  const current = await timely(client, () => handle.describe());
  if (isSame(current, wanted)) return;
  await timely(client, () =>
    handle.update(({ state: { paused, note } }) => ({ ...wanted, state: withNote(paused, note) })),
  );
}

/** @returns false if it exists, with these options or others */
export async function createSchedule(client: Client, schedule: ScheduleToKeep): Promise<boolean> {
  try {
    await timely(client, () => client.schedule.create(wantedOptions(schedule)));
    return true;
  } catch (error) {
    if (error instanceof ScheduleAlreadyRunning) return false;
    throw error;
  }
}

/** Does nothing if there is none. */
export async function deleteSchedule(client: Client, scheduleId: string): Promise<void> {
  try {
    await timely(client, () => client.schedule.getHandle(scheduleId).delete());
  } catch (error) {
    if (!(error instanceof ScheduleNotFoundError)) throw error;
  }
}

const timely = <T>(client: Client, call: () => Promise<T>): Promise<T> =>
  client.withDeadline(Date.now() + CALL_TIMEOUT_MS, call);

const withNote = (paused: boolean, note: string | undefined) => ({ paused, ...(note === undefined ? {} : { note }) });

function isSame({ spec, policies, action }: ScheduleDescription, wanted: ReturnType<typeof wantedOptions>): boolean {
  const [interval] = spec.intervals ?? [];
  return (
    interval?.every === wanted.spec.intervals[0].every &&
    interval.offset === wanted.spec.intervals[0].offset &&
    policies.overlap === wanted.policies.overlap &&
    policies.catchupWindow === wanted.policies.catchupWindow &&
    action.taskQueue === wanted.action.taskQueue &&
    action.workflowType === wanted.action.workflowType
  );
}
