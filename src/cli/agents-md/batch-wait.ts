import type { AgentsMdClient } from './agents-md-client.ts';

/** Without a finished check for this long, a batch counts as stalled. */
const QUIET_MS = 15_000;
const QUERY_INTERVAL_MS = 10_000;
/** Checks start in the order of the list, so the running ones are among the first unfinished ones. */
const CANDIDATES_MAX = 20;

export interface BatchWait {
  finished(producerId: string): void;
  /** The message of a check's last attempt, if nothing has finished for a while; otherwise undefined. */
  reason(): Promise<string | undefined>;
}

/**
 * Finds out why no check of a batch finishes, with at most one call every ten seconds.
 *
 * @param now milliseconds since the epoch
 */
export function createBatchWait(
  client: Pick<AgentsMdClient, 'getCheck'>,
  producerIds: readonly string[],
  now: () => number,
): BatchWait {
  const open = new Set(producerIds);
  let quietSince = now();
  let queriedAt = -Infinity;
  let queries = 0;
  /** The producer whose check is waiting is queried again, so that each of its attempts is one line. */
  let waiting: string | undefined;
  return {
    finished(producerId) {
      open.delete(producerId);
      quietSince = now();
      waiting = undefined;
    },
    async reason() {
      const at = now();
      if (open.size === 0 || at - quietSince < QUIET_MS || at - queriedAt < QUERY_INTERVAL_MS) return undefined;
      queriedAt = at;
      const producerId = waiting ?? [...open][queries++ % Math.min(open.size, CANDIDATES_MAX)] ?? '';
      // A failed call must not stop following the batch.
      const view = await client.getCheck(producerId).catch(() => undefined);
      const message = view?.running?.waitingFor.find((attempt) => attempt.message !== null)?.message ?? undefined;
      waiting = message === undefined ? undefined : producerId;
      return message;
    },
  };
}
