// Leaf library for Workflows of both programs: waits for an action of a provider or tenant.
import { ActivityFailure, CancellationScope, condition, isCancellation } from '@temporalio/workflow';
import { afterEvent, beginWait, hasNews, type WaitEvent, type WaitFacts, type WaitState } from './wait-machine.ts';

export interface Wait<T> {
  /**
   * Starts the Activity that the server retries until it has an answer; retries add no history events. Its
   * `cancellationType` must be WAIT_CANCELLATION_COMPLETED, so that an answer in flight is not lost.
   * @param round 1 for the first
   */
  poll(round: number): Promise<T>;
  /**
   * Checks once, while the poll goes on; undefined without an answer. Most wake-ups announce the answer, and this costs a third of another
   * round, which follows if there is none. @default none
   */
  checkOnce?(): Promise<T | undefined>;
  /** Counts the wake-ups received; each one is followed by a check at once, in a storm at growing intervals. */
  wakeUps(): number;
  /** Milliseconds since the epoch; may move during the wait. */
  deadline(): number;
  /** Names the deadline's Timer in the Temporal UI. Called for each Timer, because the deadline may have moved. */
  summary(): string;
}

/**
 * Races the poll with wake-ups and the deadline, as `wait-machine.ts` decides. Returns undefined after the deadline,
 * which does not prove that there is no answer. Throws a failure of the poll that is not retryable.
 */
export async function pollUntil<T>(wait: Wait<T>): Promise<{ value: T } | undefined> {
  let state = beginWait(factsOf(wait));
  let answer: { value: T } | undefined;
  while (state.phase === 'polling') {
    const begun = state;
    ({ state, answer } = await CancellationScope.cancellable(() => runRound(wait, begun)));
  }
  return answer;
}

async function runRound<T>(
  wait: Wait<T>,
  begun: WaitState,
): Promise<{ state: WaitState; answer: { value: T } | undefined }> {
  let answer: { value: T } | undefined;
  let failure: unknown;
  const polling = wait.poll(begun.round).then(
    (value): WaitEvent => {
      answer = { value };
      return 'answered';
    },
    (error: unknown): WaitEvent => {
      failure = error;
      return endedByCancel(error) ? 'cancelled' : 'failed';
    },
  );
  const checking = async (): Promise<WaitEvent> => {
    try {
      const value = await wait.checkOnce?.();
      if (value === undefined) return 'unanswered';
      answer = { value };
      return 'answered';
    } catch (error) {
      failure = error;
      return 'failed';
    }
  };
  const nextEvent = (state: WaitState): Promise<WaitEvent> => {
    // An attempt in flight may still return the answer after it was cancelled.
    if (state.phase === 'cancelling') return polling;
    return state.phase === 'checking' ? checking() : Promise.race([polling, sleep(wait, state)]);
  };
  let state = begun;
  do {
    state = afterEvent(state, await nextEvent(state), factsOf(wait));
    // Ends the Timer as well as the poll.
    if (!goesOn(state)) CancellationScope.current().cancel();
  } while (goesOn(state) || state.phase === 'cancelling');
  if (state.phase === 'failed') throw failure;
  return { state, answer };
}

const goesOn = ({ phase }: WaitState): boolean => phase === 'merging' || phase === 'checking';

async function sleep(wait: Wait<unknown>, state: WaitState): Promise<WaitEvent> {
  const summary = state.phase === 'polling' ? wait.summary() : 'Merge wake-ups';
  const isEarly = await condition(() => hasNews(state, factsOf(wait)), state.until - Date.now(), { summary });
  return isEarly ? 'changed' : 'timeReached';
}

const factsOf = (wait: Wait<unknown>): WaitFacts => ({
  now: Date.now(),
  wakeUps: wait.wakeUps(),
  deadline: wait.deadline(),
});

/**
 * Whether an Activity ended because it was cancelled. Between attempts it ends with a CancelledFailure; during an attempt
 * that then fails, with the attempt's own failure, which the server no longer retries.
 */
export const endedByCancel = (error: unknown): boolean =>
  isCancellation(error) || (error instanceof ActivityFailure && error.retryState === 'CANCEL_REQUESTED');
