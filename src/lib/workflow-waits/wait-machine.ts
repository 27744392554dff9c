// Leaf library: every decision of `pollUntil`, without Temporal, so that a test can try thousands of interleavings.
import { nextWakeUpAt, type WakeUpPace, paceAfterWakeUp, restingPace } from './wake-up-pace.ts';

/** Inputs of a decision. Times are milliseconds since the epoch. */
export interface WaitFacts {
  readonly now: number;
  /** Received so far. */
  readonly wakeUps: number;
  readonly deadline: number;
  /** Whether the answer has come another way than by the poll or the check. */
  readonly isAnswered?: boolean;
}

/**
 * `changed`: a wake-up arrived or the deadline moved; `timeReached`: `until` has passed; `unanswered`: the check had no answer; the
 * others say how it or the poll ended.
 */
export type WaitEvent = 'changed' | 'timeReached' | 'unanswered' | 'answered' | 'failed' | 'cancelled';

export interface WaitState {
  /**
   * `polling`: sleep until a wake-up or the deadline; `merging`: a wake-up came too soon, sleep until it may be acted on;
   * `checking`: check once; `cancelling`: cancel the poll and wait for its end. The other three end the wait.
   */
  readonly phase: 'polling' | 'merging' | 'checking' | 'cancelling' | 'answered' | 'failed' | 'expired';
  /** Each round is one poll. */
  readonly round: number;
  readonly until: number;
  /** The facts when the present sleep began; its `wakeUps` when the round did, whose poll answers those before. */
  readonly seen: WaitFacts;
  readonly pace: WakeUpPace;
}

/** Whether the present sleep should end early. */
export const shouldWake = ({ phase, seen }: WaitState, { wakeUps, deadline, isAnswered = false }: WaitFacts): boolean =>
  isAnswered || deadline !== seen.deadline || (phase === 'polling' && wakeUps > seen.wakeUps);

export const beginWait = (facts: WaitFacts): WaitState => beginRound(1, restingPace, facts);

export function afterEvent(state: WaitState, event: WaitEvent, facts: WaitFacts): WaitState {
  const { phase, round, pace } = state;
  switch (event) {
    case 'answered':
    case 'failed':
      return { ...state, phase: event };
    case 'cancelled':
      // If this wait did not cancel the poll, the Workflow was cancelled.
      if (phase !== 'cancelling') return { ...state, phase: 'failed' };
      return beginRound(round + 1, paceAfterWakeUp(pace, facts.now), facts);
    case 'timeReached':
      return { ...state, phase: phase === 'merging' ? afterNews(state, facts) : 'cancelling' };
    case 'unanswered':
      return { ...state, phase: 'cancelling' };
    case 'changed': {
      const until = Math.min(nextWakeUpAt(pace), facts.deadline);
      const isDue = facts.isAnswered === true || facts.now >= until;
      const seen = { ...facts, wakeUps: state.seen.wakeUps };
      return { ...state, phase: isDue ? afterNews(state, facts) : 'merging', until, seen };
    }
  }
}

/** Only wake-ups are followed by a check: a caller that has moved the deadline, or has the answer, does not wait for one. */
const afterNews = ({ seen }: WaitState, { wakeUps, isAnswered = false }: WaitFacts): 'checking' | 'cancelling' =>
  wakeUps > seen.wakeUps && !isAnswered ? 'checking' : 'cancelling';

function beginRound(round: number, pace: WakeUpPace, facts: WaitFacts): WaitState {
  const phase = facts.now >= facts.deadline ? 'expired' : 'polling';
  return { phase, round, until: facts.deadline, seen: facts, pace };
}
