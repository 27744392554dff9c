import { activityInfo, cancellationSignal, heartbeat } from '@temporalio/activity';
import { CancelledFailure } from '@temporalio/common';
import { type Expiring, removeExpired, type RetentionProgress, type RetentionReport } from './remove-expired.ts';

/** Continues where the attempt before ended, such as one of a Worker that was stopped. */
export const createRetentionActivity =
  (kinds: readonly Expiring[], now: () => Date = () => new Date()) =>
  (): Promise<RetentionReport> =>
    removeExpired(kinds, {
      now: now(),
      progress: activityInfo().heartbeatDetails as RetentionProgress | undefined,
      onPage: (progress) => {
        heartbeat(progress);
        if (cancellationSignal().aborted) throw new CancelledFailure('cancelled between two pages');
      },
    });
