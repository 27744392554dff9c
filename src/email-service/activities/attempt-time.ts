import { activityInfo } from '@temporalio/activity';

/** How long this Activity has been waiting, by the server's clock, which a Worker's own need not follow. */
export function elapsedMs(): number {
  const { currentAttemptScheduledTimestampMs, scheduledTimestampMs } = activityInfo();
  return Math.max(currentAttemptScheduledTimestampMs - scheduledTimestampMs, 0);
}

/** The later of both clocks: an attempt cannot run before it fell due, however far this machine's clock lags. */
export const attemptTimeMs = (now: Date): number =>
  Math.max(now.getTime(), activityInfo().currentAttemptScheduledTimestampMs);
