import { kindsOf, lastPoll, type PolledTaskQueue, type WorkerPoller } from './last-poll.ts';
import { serverTimeMs, type TimedServices } from './server-time.ts';

/** A poll lasts a minute at most, and is repeated at once. */
const POLL_AGE_MS_MAX = 70_000;

export interface PollsWanted {
  /** Which Workers count. @default all */
  readonly by?: (poller: WorkerPoller) => boolean;
  /** How old their last poll may be. @default a little more than a poll lasts */
  readonly withinMs?: number;
  /** How long the time of the server is waited for. @default 2 seconds */
  readonly timeWithinMs?: number;
}

/** The Task Queues that no such Worker has polled lately, by the server's clock. Throws if the server does not answer. */
export async function findSilentTaskQueues<Queue extends PolledTaskQueue>(
  services: TimedServices,
  namespace: string,
  queues: readonly Queue[],
  { by = () => true, withinMs = POLL_AGE_MS_MAX, timeWithinMs }: PollsWanted = {},
): Promise<Queue[]> {
  const [now, ...polls] = await Promise.all([
    serverTimeMs(services, namespace, timeWithinMs),
    ...queues.map(async (queue) => {
      const { taskQueue } = queue;
      const each = await Promise.all(
        kindsOf(queue).map((kind) => lastPoll(services, { namespace, taskQueue, kind, by })),
      );
      return Math.min(...each);
    }),
  ]);
  return queues.filter((_, index) => (polls[index] ?? 0) < now - withinMs);
}
