import type { PageToRemove } from '../../lib/retention/remove-expired.ts';
import { createRetentionActivity } from '../../lib/retention/retention-activity.ts';
import type { Database } from '../../store/database.ts';
import { removals } from '../../store/upkeep/expired-rows.ts';

/** @param eventRetentionMs undefined: for ever */
export function retentionActivities(database: Database, eventRetentionMs: number | undefined, now?: () => Date) {
  const kinds = Object.entries(removals).map(([kind, remove]) => ({
    ...{ kind, keepMs: eventRetentionMs },
    removePage: (page: PageToRemove) => remove(database, page),
  }));
  return { removeExpired: createRetentionActivity(database, kinds, now) };
}

export type RetentionActivities = ReturnType<typeof retentionActivities>;
