// Leaf library for Workflows of both programs: waiting for something that a provider or a tenant will do some day.
import { ActivityFailure, CancellationScope, condition, isCancellation, sleep } from '@temporalio/workflow';

/** Pokes closer together than this are answered by one look, so that a webhook storm cannot grow the history. */
const POKE_INTERVAL_MS = 5_000;

export interface Wait<T> {
  /**
   * Starts the Activity that the server retries until it has an answer. Retries add no history events.
   * `round` belongs into its `activityId`: an id may not be scheduled again while its forerunner is being cancelled.
   * Its `cancellationType` must be WAIT_CANCELLATION_COMPLETED, so that an answer in flight is not lost.
   */
  poll(round: number): Promise<T>;
  /** Grows with every hint that looking now is worth it. */
  pokes(): number;
  /** Milliseconds since the epoch; may move while waiting. */
  deadline(): number;
  /** What the Timer of the deadline is called in the Temporal UI. */
  readonly summary: string;
}

/**
 * Races the poll with pokes and the deadline. Undefined: the deadline has passed without an answer, which is not yet
 * proof that there is none. Failures of the poll that no retry mends are thrown.
 */
export async function pollUntil<T>(wait: Wait<T>): Promise<{ value: T } | undefined> {
  let nextPokeAt = 0;
  for (let round = 1; Date.now() < wait.deadline(); round++) {
    const pokesSeen = wait.pokes();
    const deadline = wait.deadline();
    const found = await CancellationScope.cancellable(async () => {
      const polling = wait.poll(round).then((value) => ({ value }));
      const interrupted = interruption(wait, pokesSeen, deadline, nextPokeAt);
      // The loser rejects when the scope is cancelled below; an unhandled rejection would fail the Workflow Task.
      polling.catch(() => undefined);
      interrupted.catch(() => undefined);
      const first = await Promise.race([polling, interrupted]);
      CancellationScope.current().cancel();
      if (first !== undefined) return first;
      try {
        // An attempt that was under way may still bring the answer.
        return await polling;
      } catch (error) {
        if (endedByCancel(error)) return undefined;
        throw error;
      }
    });
    if (found !== undefined) return found;
    nextPokeAt = Date.now() + POKE_INTERVAL_MS;
  }
  return undefined;
}

/**
 * Whether an Activity ended because it was cancelled: in its backoff as a CancelledFailure, and during an attempt, when
 * that attempt then failed, with the attempt's own failure, which the server no longer retries.
 */
export const endedByCancel = (error: unknown): boolean =>
  isCancellation(error) || (error instanceof ActivityFailure && error.retryState === 'CANCEL_REQUESTED');

async function interruption(
  wait: Wait<unknown>,
  pokesSeen: number,
  deadline: number,
  nextPokeAt: number,
): Promise<undefined> {
  const changed = await condition(
    () => wait.pokes() > pokesSeen || wait.deadline() !== deadline,
    deadline - Date.now(),
    { summary: wait.summary },
  );
  const early = nextPokeAt - Date.now();
  if (changed && early > 0) await sleep(early, { summary: 'merge hints that came close together' });
  return undefined;
}
