import { activityInfo } from '@temporalio/activity';
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import { withoutStack } from './without-stack.ts';

/** The server keeps 4 KB of a pending Activity's last failure; this stays far below. */
const MESSAGE_CHARACTERS_MAX = 1_500;

/** What each round of a wait is told. */
export interface PollInput {
  /** When the wait began, milliseconds since the epoch: rounds that a poke ended do not make the next ones frequent again. */
  readonly waitingSince: number;
}

/**
 * Ends an attempt that found nothing yet. The server tries again after the delay; BENIGN keeps it out of error logs
 * and failure metrics.
 *
 * @param message what ops read under Pending Activities: a sentence a person can act on, with nothing volatile in it
 * @param wait.nextCheckMs the delay as a function of the time already waited
 */
export function notYet(
  type: string,
  message: string,
  { waitingSince, nextCheckMs }: PollInput & { nextCheckMs: (elapsedMs: number) => number },
): never {
  const { attempt, currentAttemptScheduledTimestampMs } = activityInfo();
  // By the server's clock, which time-skipping tests move; `Date.now()` is this machine's.
  const elapsedMs = Math.max(currentAttemptScheduledTimestampMs - waitingSince, 0);
  throw withoutStack(
    ApplicationFailure.create({
      type,
      message: message.slice(0, MESSAGE_CHARACTERS_MAX),
      category: ApplicationFailureCategory.BENIGN,
      // The first look of a round comes from a hint, and what it announces may be a moment away.
      nextRetryDelay: withJitter(nextCheckMs(attempt === 1 ? 0 : elapsedMs)),
    }),
  );
}

/** Tenants that were started together should not be asked for together. */
const withJitter = (delayMs: number): number => Math.round(delayMs * (0.95 + Math.random() * 0.1));
