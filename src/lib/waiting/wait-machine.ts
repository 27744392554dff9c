// Leaf library: every decision of `pollUntil`, without Temporal, so that thousands of interleavings can be tried.
import { type HintPace, nextHintAt, paceAfterHint, restingPace } from './notification-pace.ts';

/** What a wait can see. Times are milliseconds since the epoch. */
export interface WaitFacts {
  readonly now: number;
  /** Hints so far. */
  readonly pokes: number;
  readonly deadline: number;
}

/**
 * `changed`: `hasNews` became true; `timeReached`: `until` of the last command has come; `answered`: the poll has the
 * answer; `failed`: the poll failed for good; `endedByCancel`: the poll ended without an answer because it was told to.
 */
export type WaitEvent = 'changed' | 'timeReached' | 'answered' | 'failed' | 'endedByCancel';

/**
 * `startRound`: begin to poll, and sleep until the time or news; `sleepUntil`: sleep anew while the poll goes on;
 * `cancelRound`: tell the poll to end and wait for how it ends; `expire`: the deadline has passed without an answer.
 */
export type WaitCommand =
  | { readonly type: 'startRound'; readonly round: number; readonly until: number }
  | { readonly type: 'sleepUntil'; readonly until: number }
  | { readonly type: 'cancelRound' }
  | { readonly type: 'finish' }
  | { readonly type: 'fail' }
  | { readonly type: 'expire' };

interface WaitState {
  /** `merging`: there is a hint, too soon after the last one; `over`: nothing can happen any more. */
  readonly phase: 'polling' | 'merging' | 'cancelling' | 'over';
  readonly round: number;
  /** As the round, or its present sleep, found them. */
  readonly seen: WaitFacts;
  readonly pace: HintPace;
}

/** What is to be done now, and what the decision after it goes by. */
export interface WaitStep {
  readonly state: WaitState;
  readonly command: WaitCommand;
}

/** Whether something came up for which the present sleep should end before its time. */
export const hasNews = ({ phase, seen }: WaitState, { pokes, deadline }: WaitFacts): boolean =>
  deadline !== seen.deadline || (phase === 'polling' && pokes > seen.pokes);

export const beginWait = (facts: WaitFacts): WaitStep => startRound(1, restingPace, facts);

export function afterEvent(state: WaitState, event: WaitEvent, facts: WaitFacts): WaitStep {
  const { phase, round, pace } = state;
  if (phase === 'over') throw new Error(`The wait is over: nothing can come of "${event}"`);
  switch (event) {
    case 'answered':
      return over(state, 'finish');
    case 'failed':
      return over(state, 'fail');
    case 'endedByCancel':
      // Whoever else cancelled it wants the whole wait to end.
      if (phase !== 'cancelling') return over(state, 'fail');
      return startRound(round + 1, paceAfterHint(pace, facts.now), facts);
    case 'timeReached':
      return cancelRound(state);
    case 'changed':
      return phase === 'cancelling' ? cancelRound(state) : interrupt(state, facts);
  }
}

function startRound(round: number, pace: HintPace, facts: WaitFacts): WaitStep {
  const state: WaitState = { phase: 'polling', round, seen: facts, pace };
  if (facts.now >= facts.deadline) return over(state, 'expire');
  return { state, command: { type: 'startRound', round, until: facts.deadline } };
}

/** A round ends for news when the pace allows it, and for the deadline; news that came too soon sleeps till then. */
function interrupt(state: WaitState, facts: WaitFacts): WaitStep {
  const until = Math.min(nextHintAt(state.pace), facts.deadline);
  if (facts.now >= until) return cancelRound(state);
  return { state: { ...state, phase: 'merging', seen: facts }, command: { type: 'sleepUntil', until } };
}

const cancelRound = (state: WaitState): WaitStep => ({
  state: { ...state, phase: 'cancelling' },
  command: { type: 'cancelRound' },
});

const over = (state: WaitState, type: 'finish' | 'fail' | 'expire'): WaitStep => ({
  state: { ...state, phase: 'over' },
  command: { type },
});
