import { activityInfo } from '@temporalio/activity';
import { withJitter } from '../../lib/timing/with-jitter.ts';

export interface PollInput {
  /** When the wait began, milliseconds since the epoch: a wake-up may begin a new round, but not a new wait. */
  readonly waitingSince: number;
}

/**
 * The delay until the next attempt of a poll.
 *
 * @param nextCheckMs the delay as a function of the time already waited
 */
export function pollDelayMs(waitingSince: number, nextCheckMs: (elapsedMs: number) => number): number {
  const { attempt, currentAttemptScheduledTimestampMs } = activityInfo();
  // By the server's clock, which time-skipping tests move; `Date.now()` is this machine's.
  const elapsedMs = Math.max(currentAttemptScheduledTimestampMs - waitingSince, 0);
  // A round's first check follows a wake-up, and what it announces may be a moment away.
  return withJitter(nextCheckMs(attempt === 1 ? 0 : elapsedMs), Math.random());
}
