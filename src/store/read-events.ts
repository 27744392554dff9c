import { sql } from 'kysely';
import type { OnboardingEvent } from '../onboarding/onboarding-events.ts';
import type { Database } from './database.ts';
import type { Register } from './register.ts';

/** See Register. */
export const eventReader = (database: Database): Pick<Register, 'events' | 'eventRange'> => ({
  async events({ after, tenantId, limit }) {
    let query = database.selectFrom('onboarding_events').selectAll().where('id', '>', after);
    if (tenantId !== undefined) query = query.where('tenant_id', '=', tenantId);
    const rows = await query.orderBy('id').limit(limit).execute();
    return rows.map((row) => ({
      id: row.id,
      eventId: row.event_id,
      tenantId: row.tenant_id,
      attemptId: row.attempt_id,
      type: row.type,
      at: row.at,
      data: JSON.parse(row.data) as OnboardingEvent['data'],
    }));
  },

  async eventRange() {
    // SQLite reads the whole table for both aggregates in one query.
    const idAt = async (direction: 'asc' | 'desc') => {
      const ids = database.selectFrom('onboarding_events').select('id').orderBy('id', direction).limit(1);
      return (await ids.executeTakeFirst())?.id ?? 0;
    };
    const { rows } = await sql<{ to: number }>`select events_removed_to as "to" from installation`.execute(database);
    const removedTo = rows[0]?.to ?? 0;
    // Events whose notification is pending outlive later ones.
    return { oldest: Math.max(await idAt('asc'), removedTo + 1), latest: await idAt('desc') };
  },
});
