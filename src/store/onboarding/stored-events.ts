import { type Insertable, type Kysely, sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import { isNotified, type NewEvent, type OnboardingEvent } from '../../onboarding/onboarding-events.ts';
import { lockName, sendAhead } from '../../lib/sql/transactions.ts';
import type { OnboardingRecord } from '../../onboarding/onboarding-record.ts';
import { type Database, eventColumns, type Schema } from '../database.ts';
import type { Register } from './register.ts';
import { rowMapping } from '../row-mapping.ts';

const { toRow, toFields } = rowMapping<OnboardingEvent, typeof eventColumns>(eventColumns);

/**
 * Adds events of a tenant, in the transaction of the change that they report, as its last writes. Events commit in the order of their
 * ids: a listener that has seen an id has seen all before it.
 */
export async function insertEvents(
  transaction: Kysely<Schema>,
  { tenantId, attemptId }: Pick<OnboardingRecord, 'tenantId' | 'attemptId'>,
  events: readonly NewEvent[],
  { at, notify = false }: { readonly at: string; readonly notify?: boolean },
): Promise<void> {
  if (events.length === 0) return;
  const rows = events.map(({ type, data }): Insertable<Schema['onboarding_events']> => ({
    ...toRow({ eventId: `evt_${randomUUID()}`, tenantId, attemptId, type, at, data }),
    delivery: notify && isNotified(type) ? 'pending' : 'none',
    attempts: 0,
  }));
  // Every writer of events waits for this lock, so it is sent with the commit.
  await lockName(transaction, 'onboarding_events');
  await sendAhead(transaction, transaction.insertInto('onboarding_events').values(rows));
}

/** See Register. */
export const eventReader = (database: Database): Pick<Register, 'events' | 'eventRange'> => ({
  async events({ after, tenantId, limit }) {
    let query = database.selectFrom('onboarding_events').selectAll().where('id', '>', after);
    if (tenantId !== undefined) query = query.where('tenant_id', '=', tenantId);
    const rows = await query.orderBy('id').limit(limit).execute();
    return rows.map((row) => ({ id: row.id, ...toFields(row) }));
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
