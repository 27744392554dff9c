import {
  type Client,
  ScheduleAlreadyRunning,
  type ScheduleDescription,
  type ScheduleHandle,
  ScheduleNotFoundError,
  ScheduleOverlapPolicy,
} from '@temporalio/client';
import type { CheckInput } from '../../agents-md/check-input.ts';
import { HostName } from '../../agents-md/code-host.ts';
import { checkScheduleId, producerOfSchedule } from '../../agents-md/check-ids.ts';
import { producerKey } from '../../workflows/search-attributes.ts';
import { changesIn, type CheckSchedule, checkSchedule, firstRun, inputOf } from './schedule-options.ts';
import { cursorOf, tokenOf } from '../page-cursor.ts';
import { shownPeriod } from './period.ts';
import { type TemporalUi, temporalUi } from '../temporal-ui.ts';
import { withCallTimeout } from '../temporal-calls.ts';

export interface ScheduleView {
  producerId: string;
  organization: string | null;
  primaryRepository: string | null;
  host: HostName;
  /** `7d`, `36h`, `90m`. */
  every: string;
  paused: boolean;
  /** The reason given when pausing or resuming it. */
  note: string | null;
  /** ISO 8601, UTC, as are the other times; null while it is paused. */
  nextRunAt: string | null;
  lastRunAt: string | null;
  /** Whether one of its runs is running. */
  running: boolean;
  /** Including triggered runs. */
  startedRuns: number;
  /** Runs skipped because the previous one was still running. */
  skippedRuns: number;
  /** Runs missed during an outage of Temporal of more than an hour. */
  missedRuns: number;
  createdAt: string;
  changedAt: string | null;
  scheduleId: string;
  /** Null if the URL of the Temporal UI is not configured. */
  uiUrl: string | null;
}

export interface ScheduleInput extends CheckInput {
  /** Whole seconds. */
  readonly everyMs: number;
}

export interface ScheduleSet {
  /** The changed fields of organization, primaryRepository, host and every; `policies` for what an older release had set. */
  readonly changed: string[];
  readonly created: boolean;
  readonly view: ScheduleView;
}

export interface SchedulePage {
  readonly data: ScheduleView[];
  /** Null on the last page. */
  readonly nextCursor: string | null;
}

export interface AgentsMdSchedules {
  /** Creates the producer's Schedule, whose first run starts at once, or changes it; a paused Schedule stays paused. */
  put(input: ScheduleInput): Promise<ScheduleSet>;
  /** Undefined if the producer has none, as in the methods below. */
  get(producerId: string): Promise<ScheduleView | undefined>;
  /** Undefined if the cursor is not of this list. */
  list(page: { limit: number; cursor: string | undefined }): Promise<SchedulePage | undefined>;
  /** Without a note, a paused Schedule keeps its note. */
  pause(producerId: string, note: string | undefined): Promise<ScheduleView | undefined>;
  /** Without a note, an active Schedule keeps its note. */
  resume(producerId: string, note: string | undefined): Promise<ScheduleView | undefined>;
  /** Starts a run now, even if the Schedule is paused, unless one of its runs is running. */
  trigger(producerId: string): Promise<ScheduleView | undefined>;
  /** False if there was none. A running check continues. */
  delete(producerId: string): Promise<boolean>;
}

/** Temporal Cloud allows ten Schedule calls per second. */
const DESCRIBE_AT_ONCE = 10;

/** Each attempt after the first needs a concurrent deletion. */
const PUT_ATTEMPTS_MAX = 3;

/** Temporal starts a run in less than a second, or later under load. */
const FIRST_RUN_WITHIN_MS = 30_000;

/** One Schedule per producer. Throws the Temporal Client's errors if the server cannot be reached. */
export function createAgentsMdSchedules(
  client: Client,
  options: {
    uiUrl: string | undefined;
    /** Milliseconds since the epoch. @default Date.now */
    now?: () => number;
  },
): AgentsMdSchedules {
  const { now = Date.now } = options;
  const ui = temporalUi(options.uiUrl, client.options.namespace);
  const handleOf = (producerId: string): ScheduleHandle => client.schedule.getHandle(checkScheduleId(producerId));

  async function describe(producerId: string): Promise<ScheduleDescription | undefined> {
    return orUndefined(() => withCallTimeout(client, () => handleOf(producerId).describe()));
  }

  async function get(producerId: string): Promise<ScheduleView | undefined> {
    const description = await describe(producerId);
    return description && viewOf(producerId, description, ui);
  }

  async function change(
    producerId: string,
    call: (handle: ScheduleHandle) => Promise<void>,
  ): Promise<ScheduleView | undefined> {
    await orUndefined(() => withCallTimeout(client, () => call(handleOf(producerId))));
    return get(producerId);
  }

  /** The SDK's default would start a second, concurrent run. */
  const trigger = (producerId: string): Promise<ScheduleView | undefined> =>
    change(producerId, (handle) => handle.trigger(ScheduleOverlapPolicy.SKIP));

  /** Temporal accepts one request with this id, however many callers find the first run missing. */
  const makeUp = (producerId: string): Promise<ScheduleView | undefined> =>
    change(producerId, async ({ scheduleId }) => {
      await client.workflowService.patchSchedule({
        namespace: client.options.namespace,
        scheduleId,
        requestId: 'first-run',
        patch: { triggerImmediately: {} },
      });
    });

  async function setPaused(producerId: string, paused: boolean, note?: string): Promise<ScheduleView | undefined> {
    if (note === undefined && (await describe(producerId))?.state.paused === paused) return get(producerId);
    const said = note ?? `${paused ? 'paused' : 'resumed'} through the HTTP API`;
    return change(producerId, (handle) => (paused ? handle.pause(said) : handle.unpause(said)));
  }

  const update = (producerId: string, wanted: CheckSchedule): Promise<ScheduleView | undefined> =>
    change(producerId, (handle) =>
      handle.update(({ state: { paused, note } }) => ({
        ...wanted,
        state: { paused, ...(note === undefined ? {} : { note }) },
      })),
    );

  return {
    async put({ everyMs, ...input }) {
      const { producerId } = input;
      const wanted = checkSchedule(input, everyMs);
      for (let attempt = 1; attempt <= PUT_ATTEMPTS_MAX; attempt++) {
        const state = { backfill: [firstRun(wanted, now())] };
        const created = await unlessThere(() =>
          withCallTimeout(client, () => client.schedule.create({ ...wanted, state })),
        );
        const current = await describe(producerId);
        // Deleted concurrently: create it again.
        if (current === undefined) continue;
        const changed = created ? [] : changesIn(current, wanted);
        if (changed.length > 0) await update(producerId, wanted);
        const view = isOverdue(current, now()) ? await makeUp(producerId) : await get(producerId);
        if (view !== undefined) return { created, changed, view };
      }
      throw new Error(
        `the Schedule for ${producerId} was deleted concurrently; gave up after ${PUT_ATTEMPTS_MAX} attempts`,
      );
    },

    get,

    async list({ limit, cursor }) {
      const pageToken = cursor === undefined ? Buffer.alloc(0) : tokenOf(cursor);
      if (pageToken === undefined) return undefined;
      const { schedules, nextPageToken } = await withCallTimeout(client, () =>
        client.workflowService.listSchedules({
          namespace: client.options.namespace,
          maximumPageSize: limit,
          nextPageToken: pageToken,
          query: `${producerKey.name} IS NOT NULL`,
        }),
      );
      const producerIds = schedules.flatMap(({ scheduleId }) => producerOfSchedule(scheduleId ?? '') ?? []);
      const data: ScheduleView[] = [];
      while (producerIds.length > 0) {
        // The list lags behind, and contains only the original input of a check.
        const views = await Promise.all(producerIds.splice(0, DESCRIBE_AT_ONCE).map(get));
        data.push(...views.filter((view) => view !== undefined));
      }
      return { data, nextCursor: nextPageToken.length === 0 ? null : cursorOf(nextPageToken) };
    },

    pause: (producerId, note) => setPaused(producerId, true, note),
    resume: (producerId, note) => setPaused(producerId, false, note),
    trigger,

    async delete(producerId) {
      const answer = await orUndefined(() =>
        withCallTimeout(client, () =>
          handleOf(producerId)
            .delete()
            .then(() => true),
        ),
      );
      return answer ?? false;
    },
  };
}

/**
 * Whether the first run is missing: another program created the Schedule, or a run of a deleted Schedule was still
 * running. A description lags behind, so a new Schedule is not overdue.
 */
const isOverdue = ({ info, state }: ScheduleDescription, nowMs: number): boolean =>
  info.numActionsTaken === 0 &&
  info.runningActions.length === 0 &&
  !state.paused &&
  nowMs - info.createdAt.getTime() >= FIRST_RUN_WITHIN_MS;

async function orUndefined<T>(call: () => Promise<T>): Promise<T | undefined> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof ScheduleNotFoundError || isNotFound(error)) return undefined;
    throw error;
  }
}

/** gRPC's code, for calls that the SDK does not wrap. */
const NOT_FOUND = 5;
const isNotFound = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === NOT_FOUND;

async function unlessThere(create: () => Promise<unknown>): Promise<boolean> {
  try {
    await create();
    return true;
  } catch (error) {
    if (error instanceof ScheduleAlreadyRunning) return false;
    throw error;
  }
}

function viewOf(producerId: string, { scheduleId, action, spec, state, info }: ScheduleDescription, ui: TemporalUi) {
  const { organization = null, primaryRepository = null, host = HostName.github } = inputOf(action);
  return {
    producerId,
    organization,
    primaryRepository,
    host,
    every: shownPeriod(spec.intervals?.[0]?.every ?? 0),
    paused: state.paused,
    note: state.note === '' ? null : (state.note ?? null),
    nextRunAt: state.paused ? null : (info.nextActionTimes[0]?.toISOString() ?? null),
    lastRunAt: info.recentActions.at(-1)?.takenAt.toISOString() ?? null,
    running: info.runningActions.length > 0,
    startedRuns: info.numActionsTaken,
    skippedRuns: info.numActionsSkippedOverlap,
    missedRuns: info.numActionsMissedCatchupWindow,
    createdAt: info.createdAt.toISOString(),
    changedAt: info.lastUpdatedAt?.toISOString() ?? null,
    scheduleId,
    uiUrl: ui.scheduleUrl(scheduleId),
  } satisfies ScheduleView;
}
