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
 * `changed`: a wake-up arrived or the deadline moved; `timeReached`: `until` has passed; `notYet`: the check found that there is no answer
 * yet; `unanswered`: it found nothing out; the others say how it or the poll ended.
 */
export type WaitEvent = 'changed' | 'timeReached' | 'notYet' | 'unanswered' | 'answered' | 'failed' | 'cancelled';

/** What a wake-up announces may be a moment away, at a provider whose copies lag. */
const SECOND_LOOK_MS = 60_000;

export interface WaitState {
  /**
   * `polling`: sleep until a wake-up or the deadline; `merging`: a wake-up came too soon, sleep until it may be acted on;
   * `checking`: check once; `cancelling`: cancel the poll and wait for its end. The other three end the wait.
   */
  readonly phase: 'polling' | 'merging' | 'checking' | 'cancelling' | 'answered' | 'failed' | 'expired';
  /** Each round is one poll. */
  readonly round: number;
  readonly until: number;
  /** When the second look after a wake-up without an answer is due; infinite for none. Such a look answers no other wake-up. */
  readonly looksAgainAt: number;
  /** The facts when the present sleep began; its `wakeUps` when the round or the last check did, which answer those before. */
  readonly seen: WaitFacts;
  readonly pace: WakeUpPace;
}

/** Whether the present sleep should end early. */
export const shouldWake = ({ phase, seen }: WaitState, { wakeUps, deadline, isAnswered = false }: WaitFacts): boolean =>
  isAnswered || deadline !== seen.deadline || (phase === 'polling' && wakeUps > seen.wakeUps);

export const beginWait = (facts: WaitFacts): WaitState => beginRound(1, restingPace, facts);

export function afterEvent(state: WaitState, event: WaitEvent, facts: WaitFacts): WaitState {
  const { phase, round, pace, looksAgainAt } = state;
  switch (event) {
    case 'answered':
    case 'failed':
      return { ...state, phase: event };
    case 'cancelled':
      // If this wait did not cancel the poll, the Workflow was cancelled.
      if (phase !== 'cancelling') return { ...state, phase: 'failed' };
      return beginRound(round + 1, paceAfterWakeUp(pace, facts.now), facts);
    case 'timeReached':
      if (state.until === looksAgainAt && !(hasNews(state, facts) && facts.now >= actsAt(state, facts)))
        return { ...state, phase: 'checking' };
      return phase === 'merging' ? afterNews(state, facts) : { ...state, phase: 'cancelling' };
    case 'notYet': {
      const { now, deadline } = facts;
      if (now >= deadline) return { ...state, phase: 'cancelling' };
      if (looksAgainAt < Infinity) return { ...state, phase: 'polling', until: deadline, looksAgainAt: Infinity };
      const again = now + SECOND_LOOK_MS;
      const until = Math.min(again, deadline);
      return { ...state, phase: 'polling', until, looksAgainAt: again, pace: paceAfterWakeUp(pace, now) };
    }
    case 'unanswered':
      return { ...state, phase: 'cancelling' };
    case 'changed': {
      const seen = { ...facts, wakeUps: state.seen.wakeUps };
      const until = Math.min(actsAt(state, facts), looksAgainAt);
      if (facts.isAnswered === true || facts.now >= actsAt(state, facts)) return afterNews({ ...state, seen }, facts);
      return { ...state, phase: facts.now >= looksAgainAt ? 'checking' : 'merging', until, seen };
    }
  }
}

/** When a change is acted on at the latest. */
const actsAt = ({ pace }: WaitState, { deadline }: WaitFacts): number => Math.min(nextWakeUpAt(pace), deadline);

const hasNews = ({ seen }: WaitState, { wakeUps }: WaitFacts): boolean => wakeUps > seen.wakeUps;

/**
 * Only wake-ups are followed by a check: a caller that has moved the deadline, or has the answer, does not wait for one. A wake-up that arrives
 * during the check is not answered by it.
 */
const afterNews = (state: WaitState, facts: WaitFacts): WaitState =>
  hasNews(state, facts) && facts.isAnswered !== true
    ? { ...state, phase: 'checking', seen: facts, looksAgainAt: Infinity }
    : { ...state, phase: 'cancelling' };

function beginRound(round: number, pace: WakeUpPace, facts: WaitFacts): WaitState {
  const phase = facts.now >= facts.deadline ? 'expired' : 'polling';
  return { phase, round, until: facts.deadline, looksAgainAt: Infinity, seen: facts, pace };
}
