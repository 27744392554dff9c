import { activityInfo, heartbeat, sleep } from '@temporalio/activity';
import { type Expiring, removeExpired, type RetentionProgress, type RetentionReport } from './remove-expired.ts';

/**
 * Continues where the previous attempt ended, as after the stop of a Worker. Half of the time is left to other writers,
 * which on SQLite wait for a page to end.
 */
export const createRetentionActivity =
  (kinds: readonly Expiring[], now: () => Date = () => new Date()) =>
  (): Promise<RetentionReport> =>
    removeExpired(kinds, {
      now: now(),
      progress: activityInfo().heartbeatDetails as RetentionProgress | undefined,
      async onPage(progress, tookMs) {
        heartbeat(progress);
        // Throws if the Worker stops.
        await sleep(Math.ceil(tookMs));
      },
    });
