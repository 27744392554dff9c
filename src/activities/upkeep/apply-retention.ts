import type { Expiring } from '../../lib/retention/remove-expired.ts';
import { createRetentionActivity } from '../../lib/retention/retention-activity.ts';
import type { Database } from '../../store/database.ts';
import { deleteClaims, deleteEvents, deleteProviderEvents, deleteSetupLinks } from '../../store/upkeep/expired-rows.ts';

/** @param eventRetentionMs undefined: for ever */
export function retentionActivities(database: Database, eventRetentionMs: number | undefined, now?: () => Date) {
  const kinds: readonly Expiring[] = [
    { kind: 'events', keepMs: eventRetentionMs, removePage: (page) => deleteEvents(database, page) },
    { kind: 'claims', keepMs: eventRetentionMs, removePage: (page) => deleteClaims(database, page) },
    { kind: 'provider events', keepMs: eventRetentionMs, removePage: (page) => deleteProviderEvents(database, page) },
    { kind: 'setup links', keepMs: eventRetentionMs, removePage: (page) => deleteSetupLinks(database, page) },
  ];
  return { removeExpired: createRetentionActivity(database, kinds, now) };
}

export type RetentionActivities = ReturnType<typeof retentionActivities>;
