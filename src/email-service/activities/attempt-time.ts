import { activityInfo } from '@temporalio/activity';

/** How long this Activity has waited, by the server's clock, which this machine's may not match. */
export function elapsedMs(): number {
  const { currentAttemptScheduledTimestampMs, scheduledTimestampMs } = activityInfo();
  return Math.max(currentAttemptScheduledTimestampMs - scheduledTimestampMs, 0);
}

/** The later of the two clocks: an attempt cannot run before it is due, even if this machine's clock lags. */
export const attemptTimeMs = (now: Date): number =>
  Math.max(now.getTime(), activityInfo().currentAttemptScheduledTimestampMs);
