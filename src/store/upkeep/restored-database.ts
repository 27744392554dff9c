// Whether the database is older than what Temporal has seen of it. The sweep keeps the last event that it saw in its heartbeat, which
// Temporal stores: after a restore, the database does not have that event.
import { type Kysely, sql } from 'kysely';
import type { Schema } from '../database.ts';

export interface SeenEvent {
  readonly id: number;
  readonly eventId: string;
}

type Database = Kysely<Schema>;

export const databaseRestores = (database: Database) => ({
  async latestEvent(): Promise<SeenEvent | undefined> {
    const query = database.selectFrom('onboarding_events').select(['id', 'event_id']).orderBy('id', 'desc').limit(1);
    const row = await query.executeTakeFirst();
    return row && { id: row.id, eventId: row.event_id };
  },

  /** Whether the database has lost the event, which the retention has not removed. */
  async hasLost({ id, eventId }: SeenEvent): Promise<boolean> {
    const found = database.selectFrom('onboarding_events').select('event_id').where('id', '=', id);
    const row = await found.executeTakeFirst();
    if (row !== undefined) return row.event_id !== eventId;
    const { rows } = await sql<{ to: number }>`select events_removed_to as "to" from installation`.execute(database);
    return id > (rows[0]?.to ?? 0);
  },

  /** Keeps the first finding. */
  async note(at: string): Promise<void> {
    await sql`update installation set restored_at = ${at} where restored_at is null`.execute(database);
  },
});

/** When the sweep found that the database was restored, RFC 3339 UTC; undefined once that is reconciled. */
export async function restoredAt(database: Database): Promise<string | undefined> {
  const { rows } = await sql<{ at: string | null }>`select restored_at as at from installation`.execute(database);
  return rows[0]?.at ?? undefined;
}

export async function forgetRestored(database: Database): Promise<void> {
  await sql`update installation set restored_at = null`.execute(database);
}
