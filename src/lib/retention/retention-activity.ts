import { activityInfo, heartbeat, sleep } from '@temporalio/activity';
import type { Kysely } from 'kysely';
import { noteRetention } from './last-retention.ts';
import { type Expiring, removeExpired, type RetentionProgress, type RetentionReport } from './remove-expired.ts';

/**
 * Continues where the previous attempt ended, as after the stop of a Worker. Half of the time is left to other writers,
 * which on SQLite wait for a page to end.
 */
export const createRetentionActivity =
  <Schema>(database: Kysely<Schema>, kinds: readonly Expiring[], now: () => Date = () => new Date()) =>
  async (): Promise<RetentionReport> => {
    const removed = await removeExpired(kinds, {
      now: now(),
      progress: activityInfo().heartbeatDetails as RetentionProgress | undefined,
      async onPage(progress, tookMs) {
        heartbeat(progress);
        // Throws if the Worker stops.
        await sleep(Math.ceil(tookMs));
      },
    });
    await noteRetention(database, now());
    return removed;
  };
