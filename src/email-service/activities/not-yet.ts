import { activityInfo } from '@temporalio/activity';
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';

/**
 * The expected "not yet" of an Activity that the server retries: the server does the waiting, and its message is what
 * ops read under Pending Activities. BENIGN keeps it out of the failure metrics and the log.
 * @param sentence under 1 KB, without secrets; the server cuts longer failures
 */
export function notYet(type: string, sentence: string, nextRetryDelayMs: number): ApplicationFailure {
  const failure = ApplicationFailure.create({
    type,
    message: sentence,
    category: ApplicationFailureCategory.BENIGN,
    nextRetryDelay: nextRetryDelayMs,
  });
  // The UI would print file paths under every attempt.
  failure.stack = '';
  return failure;
}

/** How long this Activity has been waiting, by the server's clock, which a Worker's own need not follow. */
export function elapsedMs(): number {
  const { currentAttemptScheduledTimestampMs, scheduledTimestampMs } = activityInfo();
  return Math.max(currentAttemptScheduledTimestampMs - scheduledTimestampMs, 0);
}

/** The later of both clocks: an attempt cannot run before it fell due, however far this machine's clock lags. */
export const attemptTimeMs = (now: Date): number =>
  Math.max(now.getTime(), activityInfo().currentAttemptScheduledTimestampMs);
