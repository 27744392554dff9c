import type { Selectable } from 'kysely';
import type { OnboardingEventType } from '../../onboarding/onboarding-events.ts';
import type { Database, Schema } from '../database.ts';

export const notificationStatuses = ['pending', 'delivered', 'failed'] as const;
/** `failed`: given up. */
export type NotificationStatus = (typeof notificationStatuses)[number];

/** An event that the backend is notified of. Times are RFC 3339 UTC. */
export interface StoredNotification {
  /** `evt_…`, the `webhook-id` of every delivery. */
  readonly id: string;
  /** Its place in the register's order of events. */
  readonly position: number;
  readonly tenantId: string;
  readonly type: OnboardingEventType;
  /** When it happened. */
  readonly at: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly status: NotificationStatus;
  /** Since it happened or was last replayed. */
  readonly attempts: number;
  readonly lastAttemptAt: string | null;
  /** Error of the last attempt that was not accepted. */
  readonly lastError: string | null;
  readonly deliveredAt: string | null;
  readonly replayedAt: string | null;
}

interface NotificationFilter {
  readonly tenantId?: string | undefined;
  readonly status?: NotificationStatus | undefined;
  readonly type?: OnboardingEventType | undefined;
}

export type NotificationQueue = ReturnType<typeof createSqlNotificationQueue>;

/** The events of the register that wait for delivery to the backend, and those that waited. */
export function createSqlNotificationQueue(database: Database) {
  const notifications = () => database.selectFrom('onboarding_events').selectAll();

  async function get(id: string): Promise<StoredNotification | undefined> {
    const row = await notifications().where('event_id', '=', id).where('delivery', '!=', 'none').executeTakeFirst();
    return row && toNotification(row);
  }

  return {
    get,

    /** The tenant's next one to deliver: in the order of the events, replayed ones last. */
    async next(tenantId: string): Promise<StoredNotification | undefined> {
      const row = await notifications()
        .where('delivery', '=', 'pending')
        .where('tenant_id', '=', tenantId)
        .orderBy('replayed_at', (order) => order.asc().nullsFirst())
        .orderBy('id')
        .limit(1)
        .executeTakeFirst();
      return row && toNotification(row);
    },

    /** Counts an attempt that is about to begin. @returns the attempts so far, 1 for the first */
    async beginAttempt(id: string, at: string): Promise<number> {
      const { attempts } = await database
        .updateTable('onboarding_events')
        .set((column) => ({ attempts: column('attempts', '+', 1), last_attempt_at: at }))
        .where('event_id', '=', id)
        .returning('attempts')
        .executeTakeFirstOrThrow();
      return attempts;
    },

    /** @param error null if the attempt was accepted */
    async endAttempt(id: string, status: NotificationStatus, error: string | null, at: string): Promise<void> {
      await database
        .updateTable('onboarding_events')
        .set({ delivery: status, last_error: error, ...(status === 'delivered' ? { delivered_at: at } : {}) })
        .where('event_id', '=', id)
        // A frozen Worker may end its attempt after a later one was accepted.
        .$if(status !== 'delivered', (update) => update.where('delivery', '=', 'pending'))
        .execute();
    },

    /** Tenants with a pending notification, in the order of their IDs. */
    tenants: async ({ after, limit }: { after: string; limit: number }): Promise<string[]> => {
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

    /** When the oldest pending one happened, without those that were replayed. */
    async oldestPending(): Promise<string | undefined> {
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

    /** The latest first. @param page.before a position */
    async list(
      { tenantId, status, type }: NotificationFilter,
      { limit, before = Number.MAX_SAFE_INTEGER }: { limit: number; before?: number | undefined },
    ): Promise<StoredNotification[]> {
      let query = notifications().where('id', '<', before);
      query = status === undefined ? query.where('delivery', '!=', 'none') : query.where('delivery', '=', status);
      if (tenantId !== undefined) query = query.where('tenant_id', '=', tenantId);
      if (type !== undefined) query = query.where('type', '=', type);
      return (await query.orderBy('id', 'desc').limit(limit).execute()).map(toNotification);
    },

    /** Delivers it again, after the tenant's pending ones. A pending one does not change. */
    async replay(id: string, at: string): Promise<StoredNotification | undefined> {
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
