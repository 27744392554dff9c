import type { AgentsMdClient } from './agents-md-client.ts';

/** Before that a batch is only slow. */
const QUIET_MS = 15_000;
const LOOK_INTERVAL_MS = 10_000;
/** Checks are started in the order of the list: of those that are not finished, the first ones are under way. */
const PRODUCERS_LOOKED_AT = 20;

export interface BatchWait {
  /** Of a producer whose check is over. */
  finished(producerId: string): void;
  /** What the last attempt of a check said, once nothing has finished for a while; undefined when that is not known. */
  reason(): Promise<string | undefined>;
}

/**
 * Finds out why no check of a batch finishes, with one call in ten seconds at most.
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
  let lookedAt = -Infinity;
  let looks = 0;
  /** The one that told of a wait is asked again, so that each of its attempts is one line. */
  let waiting: string | undefined;
  return {
    finished(producerId) {
      open.delete(producerId);
      quietSince = now();
      waiting = undefined;
    },
    async reason() {
      const at = now();
      if (open.size === 0 || at - quietSince < QUIET_MS || at - lookedAt < LOOK_INTERVAL_MS) return undefined;
      lookedAt = at;
      const producerId = waiting ?? [...open][looks++ % Math.min(open.size, PRODUCERS_LOOKED_AT)] ?? '';
      // What cannot be told now is no reason to stop following the batch.
      const view = await client.getCheck(producerId).catch(() => undefined);
      const message = view?.running?.waitingFor.find((attempt) => attempt.message !== null)?.message ?? undefined;
      waiting = message === undefined ? undefined : producerId;
      return message;
    },
  };
}
