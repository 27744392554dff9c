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
import { cursorOf, tokenOf } from './page-cursor.ts';
import { shownPeriod } from './period.ts';
import { type TemporalUi, temporalUi } from '../temporal-ui.ts';
import { timely } from '../timely.ts';

export interface ScheduleView {
  producerId: string;
  organization: string | null;
  primaryRepository: string | null;
  host: HostName;
  /** `7d`, `36h`, `90m`. */
  every: string;
  paused: boolean;
  /** Why it was paused or resumed, as whoever did it said. */
  note: string | null;
  /** ISO 8601, UTC, as are the others; null while it is paused. */
  nextRunAt: string | null;
  lastRunAt: string | null;
  /** Whether a run that the Schedule has started is under way. */
  running: boolean;
  /** Runs it has started, those triggered by hand included. */
  startedRuns: number;
  /** Runs that were due while the one before was still under way, so they were left out. */
  skippedRuns: number;
  /** Runs that were due while Temporal was away for longer than an hour, so they were left out. */
  missedRuns: number;
  createdAt: string;
  changedAt: string | null;
  scheduleId: string;
  /** Null when the Temporal UI's address is not configured. */
  uiUrl: string | null;
}

export interface ScheduleInput extends CheckInput {
  /** Whole seconds. */
  readonly everyMs: number;
}

export interface ScheduleSet {
  /** Which of organization, primaryRepository, host and every it had otherwise; `policies`: what an older release had set. */
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
  /** Creates the producer's Schedule, whose first run starts at once, or changes it to this; one that is paused stays so. */
  put(input: ScheduleInput): Promise<ScheduleSet>;
  /** Undefined when the producer has none; so in those that change it. */
  get(producerId: string): Promise<ScheduleView | undefined>;
  /** Undefined when the cursor is none of this list. */
  list(page: { limit: number; cursor: string | undefined }): Promise<SchedulePage | undefined>;
  /** Without a note, one that is paused already keeps the note that says why. */
  pause(producerId: string, note: string | undefined): Promise<ScheduleView | undefined>;
  /** Without a note, one that is not paused keeps its note. */
  resume(producerId: string, note: string | undefined): Promise<ScheduleView | undefined>;
  /** Starts a run now, also when it is paused, unless one of its runs is under way. */
  trigger(producerId: string): Promise<ScheduleView | undefined>;
  /** False when there was none. A run under way goes on. */
  delete(producerId: string): Promise<boolean>;
}

/** Those of a page are looked at side by side, and Temporal Cloud allows ten calls about Schedules in a second. */
const LOOKS_AT_ONCE = 10;

/** Each but the first takes somebody who deletes the Schedule just then. */
const PUT_ATTEMPTS_MAX = 3;

/** Temporal starts a run in less than a second, and later than that when it is busy. */
const FIRST_RUN_WITHIN_MS = 30_000;

/** One Schedule per producer. Throws what the Temporal Client throws when the server is out of reach. */
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
    return orUndefined(() => timely(client, () => handleOf(producerId).describe()));
  }

  async function get(producerId: string): Promise<ScheduleView | undefined> {
    const description = await describe(producerId);
    return description && viewOf(producerId, description, ui);
  }

  /** Carries something out, and shows what it has come to. */
  async function change(
    producerId: string,
    call: (handle: ScheduleHandle) => Promise<void>,
  ): Promise<ScheduleView | undefined> {
    await orUndefined(() => timely(client, () => call(handleOf(producerId))));
    return get(producerId);
  }

  /** The SDK's own default would start a second run beside one that is under way. */
  const trigger = (producerId: string): Promise<ScheduleView | undefined> =>
    change(producerId, (handle) => handle.trigger(ScheduleOverlapPolicy.SKIP));

  /** However many find that the first run is missing, of their requests Temporal takes one with this id. Its overlap is the Schedule's own. */
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
        const created = await unlessThere(() => timely(client, () => client.schedule.create({ ...wanted, state })));
        const current = await describe(producerId);
        // Deleted meanwhile: whoever asks for it now shall have it.
        if (current === undefined) continue;
        const changed = created ? [] : changesIn(current, wanted);
        if (changed.length > 0) await update(producerId, wanted);
        const view = isOverdue(current, now()) ? await makeUp(producerId) : await get(producerId);
        if (view !== undefined) return { created, changed, view };
      }
      throw new Error(`the Schedule of ${producerId} is there and not there`);
    },

    get,

    async list({ limit, cursor }) {
      const pageToken = cursor === undefined ? Buffer.alloc(0) : tokenOf(cursor);
      if (pageToken === undefined) return undefined;
      const { schedules, nextPageToken } = await timely(client, () =>
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
        // The list itself lags behind, and knows of a check's input only what it was at first.
        const views = await Promise.all(producerIds.splice(0, LOOKS_AT_ONCE).map(get));
        data.push(...views.filter((view) => view !== undefined));
      }
      return { data, nextCursor: nextPageToken.length === 0 ? null : cursorOf(nextPageToken) };
    },

    pause: (producerId, note) => setPaused(producerId, true, note),
    resume: (producerId, note) => setPaused(producerId, false, note),
    trigger,

    async delete(producerId) {
      const answer = await orUndefined(() =>
        timely(client, () =>
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
 * Whether a first run never came: of a Schedule that was not made here, or whose run met one of a Schedule that was
 * deleted before. What is described is behind by a moment, so a young one tells nothing.
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

/** How the calls that the SDK has no word for say it (gRPC). */
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
