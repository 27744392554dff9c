import { type Client, ScheduleNotFoundError, WorkflowNotFoundError } from '@temporalio/client';
import { createRepetitionFilter } from '../repetition-filter.ts';
import { pollWhileAwaited, type Poller } from '../timing/poll-while-awaited.ts';
import { createSchedule, type ScheduleToKeep } from './keep-schedule.ts';
import type { SingletonGap } from './setup/setup-gap.ts';

/** A part that exists once for all processes of an installation: a Workflow that never ends, or a Schedule. */
export interface Singleton {
  readonly kind: SingletonGap['kind'];
  /** Its ID. */
  readonly name: string;
  /** Creates it if it is missing, and changes nothing else. Several processes call it at once. */
  readonly ensure: () => Promise<unknown>;
}

export const scheduleSingletons = (client: Client, schedules: readonly ScheduleToKeep[]): readonly Singleton[] =>
  schedules.flatMap((schedule) => {
    const ensure = () => createSchedule(client, schedule);
    return schedule.isOff === true ? [] : [{ kind: 'schedule', name: schedule.scheduleId, ensure }];
  });

/** A person may terminate one, or delete it with others; until it is back, nothing else does its work. */
const SINGLETONS_EVERY_MS = 20_000;

/** Like those of other calls at a start. */
const CALL_TIMEOUT_MS = 15_000;

/** Throws if the server does not answer. */
export async function singletonState(client: Client, singletons: readonly Pick<Singleton, 'kind' | 'name'>[]) {
  const states = await Promise.all(
    singletons.map(async ({ kind, name }) => ({
      gap: { kind, name, namespace: client.options.namespace },
      state: await stateOf(client, { kind, name }),
    })),
  );
  return {
    missing: states.flatMap(({ gap, state }): SingletonGap[] => (state === 'missing' ? [gap] : [])),
    /** IDs of those that a person has paused. */
    paused: states.flatMap(({ gap, state }) => (state === 'paused' ? [gap.name] : [])),
  };
}

type State = 'there' | 'paused' | 'missing';

async function stateOf(client: Client, { kind, name }: Pick<Singleton, 'kind' | 'name'>): Promise<State> {
  try {
    if (kind === 'schedule') {
      const { state } = await client.schedule.getHandle(name).describe();
      return state.paused ? 'paused' : 'there';
    }
    const { status, raw } = await client.workflow.getHandle(name).describe();
    if (status.name !== 'RUNNING') return 'missing';
    return raw.pendingActivities?.some(({ paused }) => paused === true) === true ? 'paused' : 'there';
  } catch (error) {
    if (error instanceof WorkflowNotFoundError || error instanceof ScheduleNotFoundError) return 'missing';
    throw error;
  }
}

export interface SingletonKeeperOptions {
  /** Throws if the Namespace is not the one of the database, or belongs to another database: nothing is created there. */
  readonly confirmNamespace: () => Promise<unknown>;
  readonly warn: (message: string, meta: object) => void;
  /** @default 20 seconds */
  readonly everyMs?: number | undefined;
}

/**
 * Creates what is missing, at once and as long as the process runs. Every process does, so that one that runs is enough. What is there
 * stays as it is, also if a person has paused it.
 */
export async function keepSingletons(
  client: Client,
  singletons: readonly Singleton[],
  { confirmNamespace, warn, everyMs = SINGLETONS_EVERY_MS }: SingletonKeeperOptions,
): Promise<Pick<Poller, 'close'>> {
  const createMissing = async (): Promise<readonly string[]> => {
    const { missing } = await client.withDeadline(Date.now() + CALL_TIMEOUT_MS, () =>
      singletonState(client, singletons),
    );
    const names = missing.map(({ name }) => name);
    await Promise.all(singletons.filter(({ name }) => names.includes(name)).map(({ ensure }) => ensure()));
    return names;
  };
  await createMissing();
  const leftOutOf = createRepetitionFilter();
  const poll = async (): Promise<void> => {
    await confirmNamespace();
    const created = await createMissing();
    if (created.length > 0) warn('what runs once for all processes had ended; it was created again', { created });
  };
  const keeper = pollWhileAwaited({
    everyMs,
    poll,
    onError: (error) => {
      const reason = error instanceof Error ? error.message : String(error);
      const leftOut = leftOutOf(reason);
      if (leftOut !== undefined) warn('cannot see to what runs once for all processes', { reason, leftOut });
    },
  });
  keeper.start();
  return { close: keeper.close };
}
