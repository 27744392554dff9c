// Leaf library for Workflows of both programs: waiting for something that a provider or a tenant will do some day.
import { ActivityFailure, CancellationScope, condition, isCancellation } from '@temporalio/workflow';
import { afterEvent, beginWait, hasNews, type WaitEvent, type WaitFacts, type WaitStep } from './wait-machine.ts';

export interface Wait<T> {
  /**
   * Starts the Activity that the server retries until it has an answer. Retries add no history events.
   * `round` belongs into its `activityId`: an id may not be scheduled again while its forerunner is being cancelled.
   * Its `cancellationType` must be WAIT_CANCELLATION_COMPLETED, so that an answer in flight is not lost.
   */
  poll(round: number): Promise<T>;
  /** Grows with every hint that looking now is worth it; in a storm of them the looks come at growing distances. */
  pokes(): number;
  /** Milliseconds since the epoch; may move while waiting. */
  deadline(): number;
  /** What the Timer of the deadline is called in the Temporal UI. */
  readonly summary: string;
}

/**
 * Races the poll with pokes and the deadline, as `wait-machine.ts` decides. Undefined: the deadline has passed without
 * an answer, which is not yet proof that there is none. Failures of the poll that no retry mends are thrown.
 */
export async function pollUntil<T>(wait: Wait<T>): Promise<{ value: T } | undefined> {
  let step = beginWait(factsOf(wait));
  while (step.command.type === 'startRound') {
    const { round } = step.command;
    const begun = step;
    const ended = await CancellationScope.cancellable(() => runRound(wait, wait.poll(round), begun));
    if (ended.answer !== undefined) return ended.answer;
    step = ended.step;
  }
  return undefined;
}

/** Carries out what is decided between the start of a round and its end. */
async function runRound<T>(
  wait: Wait<T>,
  poll: Promise<T>,
  begun: WaitStep,
): Promise<{ step: WaitStep; answer?: { value: T } }> {
  let answer: { value: T } | undefined;
  let failure: unknown;
  const polling = poll.then(
    (value): WaitEvent => {
      answer = { value };
      return 'answered';
    },
    (error: unknown): WaitEvent => {
      failure = error;
      return endedByCancel(error) ? 'endedByCancel' : 'failed';
    },
  );
  let step = begun;
  for (;;) {
    const { command } = step;
    // An attempt that was under way when it was told to end may still bring the answer.
    const event = command.type === 'cancelRound' ? await polling : await Promise.race([polling, sleep(wait, step)]);
    step = afterEvent(step.state, event, factsOf(wait));
    switch (step.command.type) {
      case 'sleepUntil':
        break;
      case 'cancelRound':
        CancellationScope.current().cancel();
        break;
      case 'finish':
        // Ends the Timer, as below.
        CancellationScope.current().cancel();
        return { step, ...(answer === undefined ? {} : { answer }) };
      case 'fail':
        CancellationScope.current().cancel();
        throw failure;
      case 'startRound':
      case 'expire':
        return { step };
    }
  }
}

async function sleep(wait: Wait<unknown>, { state, command }: WaitStep): Promise<WaitEvent> {
  const until = 'until' in command ? command.until : 0;
  const summary = command.type === 'startRound' ? wait.summary : 'merge hints that came close together';
  const news = await condition(() => hasNews(state, factsOf(wait)), until - Date.now(), { summary });
  return news ? 'changed' : 'timeReached';
}

const factsOf = (wait: Wait<unknown>): WaitFacts => ({
  now: Date.now(),
  pokes: wait.pokes(),
  deadline: wait.deadline(),
});

/**
 * Whether an Activity ended because it was cancelled: in its backoff as a CancelledFailure, and during an attempt, when
 * that attempt then failed, with the attempt's own failure, which the server no longer retries.
 */
export const endedByCancel = (error: unknown): boolean =>
  isCancellation(error) || (error instanceof ActivityFailure && error.retryState === 'CANCEL_REQUESTED');
