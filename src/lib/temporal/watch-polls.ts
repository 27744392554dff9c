// A Worker can run and yet get no tasks: its connection hangs, or its poller has died. Only the server knows, so each process asks it
// whether it has seen this process on each Task Queue. A Worker polls only while it has a free slot: while all its Activity slots are in
// use, as by deliveries to slow servers, it is healthy and silent. The clocks of the two may differ, so a time of the server is only
// compared with an earlier one of it.
import type { NativeConnection, WorkerOptions } from '@temporalio/worker';
import { createRepetitionFilter } from '../repetition-filter.ts';
import { pollWhileAwaited } from '../timing/poll-while-awaited.ts';
import { kindsOf, lastPoll, type TaskKind } from './last-poll.ts';

export interface PollWatch {
  /** Task Queues on which the server has missed this process lately. Empty while it does not answer. */
  readonly unseenOn: () => readonly string[];
  /** Whether the server has answered for minutes and missed it on one Task Queue all the time: only a restart helps. */
  readonly isLost: () => boolean;
  readonly close: () => void;
}

interface PollWatchOptions {
  readonly warn: (message: string, meta: object) => void;
  /** Whether the Workers of a Namespace should poll now. @default always */
  readonly isExpected?: (namespace: string) => boolean;
  /** Whether one of the Workers has no slot for another Activity. */
  readonly isFull: (worker: WorkerOptions) => boolean;
  /** @default 30 seconds */
  readonly everyMs?: number;
  /** How long no new poll may be listed: a poll lasts a minute. @default 2 minutes */
  readonly seenWithinMs?: number;
  /** @default 5 minutes */
  readonly lostAfterMs?: number;
}

const EVERY_MS = 30_000;
const SEEN_WITHIN_MS = 2 * 60_000;
const LOST_AFTER_MS = 5 * 60_000;
const ANSWER_WITHIN_MS = 10_000;

/** @param workers of this process, all with one identity */
export function watchPolls(
  connection: Pick<NativeConnection, 'workflowService' | 'withDeadline'>,
  workers: readonly WorkerOptions[],
  {
    warn,
    isFull,
    isExpected = () => true,
    everyMs = EVERY_MS,
    seenWithinMs = SEEN_WITHIN_MS,
    lostAfterMs = LOST_AFTER_MS,
  }: PollWatchOptions,
): PollWatch {
  const queues = workers.map((worker) => ({
    worker,
    namespace: worker.namespace ?? 'default',
    taskQueue: worker.taskQueue,
    /** Times of the last poll by the server's clock, and since when by that of this process. */
    polls: new Map<TaskKind, { readonly at: number; readonly since: number }>(),
    /** Since when each answer missed it; undefined after an answer that did not, and while the server does not answer. */
    missedSince: undefined as number | undefined,
    isUnseen: false,
  }));
  type Queue = (typeof queues)[number];
  async function isSeen({ worker, namespace, taskQueue, polls }: Queue): Promise<boolean> {
    const by = (poller: { readonly identity?: string | null }): boolean => poller.identity === worker.identity;
    const kinds = kindsOf({ runsWorkflows: 'workflowBundle' in worker });
    const found = await Promise.all(
      kinds.map(async (kind) => {
        const at = await lastPoll(connection, { namespace, taskQueue, kind, by });
        const now = performance.now();
        const last = polls.get(kind);
        // Once a slot is free, the next poll has its whole time.
        const isExcused = kind === 'activity' && isFull(worker);
        const since = last?.at === at && !isExcused ? last.since : now;
        polls.set(kind, { at, since });
        return isExcused || (at > 0 && now - since < seenWithinMs);
      }),
    );
    return found.every(Boolean);
  }
  async function ask(queue: Queue): Promise<void> {
    const answer = await connection
      .withDeadline(Date.now() + ANSWER_WITHIN_MS, () => isSeen(queue))
      .catch(() => undefined);
    const isMissed = answer === false && isExpected(queue.namespace);
    // Workers that were just started again are seen by the next answer.
    queue.isUnseen = isMissed && queue.missedSince !== undefined;
    queue.missedSince = isMissed ? (queue.missedSince ?? performance.now()) : undefined;
  }
  const leftOutOf = createRepetitionFilter();
  function report(): void {
    for (const namespace of new Set(queues.map((queue) => queue.namespace))) {
      const taskQueues = queues.flatMap((queue) =>
        queue.isUnseen && queue.namespace === namespace ? [queue.taskQueue] : [],
      );
      const leftOut = taskQueues.length === 0 ? undefined : leftOutOf(JSON.stringify([namespace, taskQueues]));
      if (leftOut !== undefined) warn('Temporal has not seen this process poll', { namespace, taskQueues, leftOut });
    }
  }
  const poller = pollWhileAwaited({
    everyMs,
    poll: async () => {
      await Promise.all(queues.map(ask));
      report();
    },
    onError: () => undefined,
  });
  poller.start();
  return {
    unseenOn: () => queues.flatMap(({ isUnseen, taskQueue }) => (isUnseen ? [taskQueue] : [])),
    isLost: () =>
      queues.some(({ missedSince }) => missedSince !== undefined && performance.now() - missedSince >= lostAfterMs),
    close: () => void poller.close(),
  };
}
