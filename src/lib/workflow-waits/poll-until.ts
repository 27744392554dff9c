// Leaf library for Workflows of both programs: waits for an action of a provider or tenant.
import { ActivityFailure, CancellationScope, condition, isCancellation } from '@temporalio/workflow';
import { afterEvent, beginWait, shouldWake, type WaitEvent, type WaitFacts, type WaitState } from './wait-machine.ts';

export const NOT_YET = 'notYet';
type NotYet = typeof NOT_YET;

export interface Wait<T> {
  /**
   * Starts the Activity that the server retries until it has an answer; retries add no history events. Its
   * `cancellationType` must be WAIT_CANCELLATION_COMPLETED, so that an answer in flight is not lost.
   * @param round 1 for the first
   */
  poll(round: number): Promise<T>;
  /**
   * Checks once after a wake-up, and once more a minute later, while the poll goes on: `notYet` if there is no answer yet, undefined if
   * that is unknown, and another round follows. Most wake-ups announce the answer, and finding it so takes one history event instead of a
   * dozen. @default none
   */
  checkOnce?(): Promise<T | NotYet | undefined>;
  /** The answer, if it has come another way; it counts once the poll has been cancelled. @default none */
  answer?(): T | undefined;
  /** Counts the wake-ups received; each one is followed by a check at once, in a storm at growing intervals. */
  wakeUps(): number;
  /** Milliseconds since the epoch; may move during the wait. */
  deadline(): number;
  /** Names the deadline's Timer in the Temporal UI. Called for each Timer, because the deadline may have moved. */
  summary(): string;
}

/**
 * Races the poll with wake-ups and the deadline, as `wait-machine.ts` decides. Returns undefined after the deadline,
 * which does not prove that there is no answer. Throws a failure of the poll or the check that is not retryable.
 */
export async function pollUntil<T extends object>(wait: Wait<T>): Promise<{ value: T } | undefined> {
  let state = beginWait(factsOf(wait));
  let answer: { value: T } | undefined;
  while (state.phase === 'polling') {
    const begun = state;
    ({ state, answer } = await CancellationScope.cancellable(() => runRound(wait, begun)));
  }
  return answer;
}

/** An event, with what the poll or the check returned or threw. */
type Happened<T> =
  | { readonly event: 'answered'; readonly value: T }
  | { readonly event: 'failed' | 'cancelled'; readonly error: unknown }
  | { readonly event: Exclude<WaitEvent, 'answered' | 'failed' | 'cancelled'> };

async function runRound<T extends object>(
  wait: Wait<T>,
  begun: WaitState,
): Promise<{ state: WaitState; answer: { value: T } | undefined }> {
  const answer = wait.answer?.();
  const polling = endOf(answer === undefined ? wait.poll(begun.round) : Promise.resolve(answer));
  const next = (state: WaitState): Promise<Happened<T>> => {
    // An attempt in flight may still return the answer after it was cancelled.
    if (state.phase === 'cancelling') return polling;
    if (state.phase === 'checking') return endOf(wait.checkOnce?.() ?? Promise.resolve(undefined));
    return Promise.race([polling, sleep(wait, state)]);
  };
  let state = begun;
  for (;;) {
    const happened = await next(state);
    state = afterEvent(state, happened.event, factsOf(wait));
    const isSameRound = state.round === begun.round && ['polling', 'merging', 'checking'].includes(state.phase);
    if (isSameRound) continue;
    // Ends the Timer as well as the poll.
    CancellationScope.current().cancel();
    if (state.phase === 'cancelling') continue;
    if (state.phase === 'failed' && 'error' in happened) throw happened.error;
    return { state, answer: 'value' in happened ? happened : undefined };
  }
}

const endOf = <T extends object>(found: Promise<T | NotYet | undefined>): Promise<Happened<T>> =>
  found.then(
    (value) => {
      if (value === NOT_YET) return { event: value };
      return value === undefined ? { event: 'unanswered' } : { event: 'answered', value };
    },
    (error: unknown) => ({ event: endedByCancel(error) ? 'cancelled' : 'failed', error }),
  );

async function sleep(wait: Wait<unknown>, state: WaitState): Promise<{ event: 'changed' | 'timeReached' }> {
  const isSecondLook = state.until === state.looksAgainAt;
  const summary = isSecondLook ? 'Look again' : state.phase === 'merging' ? 'Merge wake-ups' : wait.summary();
  const isEarly = await condition(() => shouldWake(state, factsOf(wait)), state.until - Date.now(), { summary });
  return { event: isEarly ? 'changed' : 'timeReached' };
}

const factsOf = (wait: Wait<unknown>): WaitFacts => ({
  now: Date.now(),
  wakeUps: wait.wakeUps(),
  deadline: wait.deadline(),
  isAnswered: wait.answer?.() !== undefined,
});

/**
 * Whether an Activity ended because it was cancelled. Between attempts it ends with a CancelledFailure; during an attempt
 * that then fails, with the attempt's own failure, which the server no longer retries.
 */
export const endedByCancel = (error: unknown): boolean =>
  isCancellation(error) || (error instanceof ActivityFailure && error.retryState === 'CANCEL_REQUESTED');
