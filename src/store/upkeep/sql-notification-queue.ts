import type { Selectable } from 'kysely';
import type { Database, Schema } from '../database.ts';
import type { NotificationQueue, NotificationStatus, StoredNotification } from './notification-queue.ts';

/** The events of the register that wait for delivery to the backend, and those that waited. */
export function createSqlNotificationQueue(database: Database): NotificationQueue {
  const notifications = () => database.selectFrom('onboarding_events').selectAll();

  async function get(id: string): Promise<StoredNotification | undefined> {
    const row = await notifications().where('event_id', '=', id).where('delivery', '!=', 'none').executeTakeFirst();
    return row && toNotification(row);
  }

  return {
    get,

    async next(tenantId) {
      const row = await notifications()
        .where('delivery', '=', 'pending')
        .where('tenant_id', '=', tenantId)
        .orderBy('replayed_at', (order) => order.asc().nullsFirst())
        .orderBy('id')
        .limit(1)
        .executeTakeFirst();
      return row && toNotification(row);
    },

    async beginAttempt(id, at) {
      const { attempts } = await database
        .updateTable('onboarding_events')
        .set((column) => ({ attempts: column('attempts', '+', 1), last_attempt_at: at }))
        .where('event_id', '=', id)
        .returning('attempts')
        .executeTakeFirstOrThrow();
      return attempts;
    },

    async endAttempt(id, status, error, at) {
      await database
        .updateTable('onboarding_events')
        .set({ delivery: status, last_error: error, ...(status === 'delivered' ? { delivered_at: at } : {}) })
        .where('event_id', '=', id)
        // A frozen Worker may end its attempt after a later one was accepted.
        .$if(status !== 'delivered', (update) => update.where('delivery', '=', 'pending'))
        .execute();
    },

    async tenants({ after, limit }) {
      const rows = await database
        .selectFrom('onboarding_events')
        .select('tenant_id')
        .distinct()
        .where('delivery', '=', 'pending')
        .where('tenant_id', '>', after)
        .orderBy('tenant_id')
        .limit(limit)
        .execute();
      return rows.map(({ tenant_id }) => tenant_id);
    },

    async oldestPending() {
      const row = await database
        .selectFrom('onboarding_events')
        .select('at')
        .where('delivery', '=', 'pending')
        .where('replayed_at', 'is', null)
        .orderBy('id')
        .limit(1)
        .executeTakeFirst();
      return row?.at;
    },

    async list({ tenantId, status, type }, { limit, before = Number.MAX_SAFE_INTEGER }) {
      let query = notifications().where('id', '<', before);
      query = status === undefined ? query.where('delivery', '!=', 'none') : query.where('delivery', '=', status);
      if (tenantId !== undefined) query = query.where('tenant_id', '=', tenantId);
      if (type !== undefined) query = query.where('type', '=', type);
      return (await query.orderBy('id', 'desc').limit(limit).execute()).map(toNotification);
    },

    async replay(id, at) {
      await database
        .updateTable('onboarding_events')
        .set({ delivery: 'pending', attempts: 0, replayed_at: at })
        .where('event_id', '=', id)
        .where('delivery', 'in', ['delivered', 'failed'])
        .execute();
      return get(id);
    },
  };
}

const toNotification = (row: Selectable<Schema['onboarding_events']>): StoredNotification => ({
  id: row.event_id,
  position: row.id,
  tenantId: row.tenant_id,
  type: row.type,
  at: row.at,
  data: JSON.parse(row.data) as StoredNotification['data'],
  // The queries leave out `none`.
  status: row.delivery as NotificationStatus,
  attempts: row.attempts,
  lastAttemptAt: row.last_attempt_at,
  lastError: row.last_error,
  deliveredAt: row.delivered_at,
  replayedAt: row.replayed_at,
});
