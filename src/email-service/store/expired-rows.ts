// What the retention removes. A page is one transaction; rows that another transaction has locked wait for the next run.
import { type RawBuilder, sql } from 'kysely';
import { type PageToRemove, positionAfter, type RemovedPage } from '../../lib/retention/remove-expired.ts';
import { inTransaction } from '../../lib/sql/transactions.ts';
import type { Store, StoreTransaction } from './open-store.ts';

/** As the indexes say it, because SQLite compares the text. */
const isFinal = sql<boolean>`status <> 'queued'`;
const withContent = sql<boolean>`status <> 'queued' and content_erased_at is null`;

/** Empties what was sent of emails that have their final status and expired before the time. */
export const eraseEmailContent = (store: Store, asked: PageToRemove, now: Date): Promise<RemovedPage> =>
  removePage(store, asked, {
    oldest: { table: 'emails', time: 'expires_at', only: withContent },
    async remove(transaction, ids) {
      await transaction
        .updateTable('emails')
        .set({ body: '', html: null, headers: '{}', signed_message: null, content_erased_at: now.toISOString() })
        .where('id', 'in', ids)
        .execute();
      return ids.length;
    },
  });

/** Deletes emails that have their final status and expired before the time, with their attempts. */
export const deleteEmails = (store: Store, asked: PageToRemove): Promise<RemovedPage> =>
  removePage(store, asked, {
    oldest: { table: 'emails', time: 'expires_at', only: isFinal },
    async remove(transaction, ids) {
      // From now on the key's own age decides. A request with such a key waits for this row and holds no other one.
      await transaction.updateTable('idempotency_keys').set({ email_id: null }).where('email_id', 'in', ids).execute();
      await transaction.deleteFrom('delivery_attempts').where('email_id', 'in', ids).execute();
      await transaction.deleteFrom('emails').where('id', 'in', ids).execute();
      return ids.length;
    },
  });

/**
 * Deletes events with their webhook deliveries, none of which may be pending. The newest event of each account stays, so that
 * the position of a caller that has read all events stays valid.
 */
export const deleteEvents = (store: Store, asked: PageToRemove): Promise<RemovedPage> =>
  removePage(store, asked, {
    oldest: { table: 'events', time: 'created_at' },
    async remove(transaction, page) {
      const ids = await idsOf(
        transaction
          .selectFrom('events')
          .innerJoin('accounts', 'accounts.id', 'events.account_id')
          .select('events.id')
          .where('events.id', 'in', page)
          .whereRef('events.number', '<', 'accounts.last_event_number')
          .where((where) =>
            where.not(
              where.exists(
                where
                  .selectFrom('webhook_deliveries')
                  .select('webhook_deliveries.event_id')
                  .whereRef('webhook_deliveries.event_id', '=', 'events.id')
                  .where('webhook_deliveries.status', '=', 'pending'),
              ),
            ),
          ),
      );
      if (ids.length === 0) return 0;
      await transaction.deleteFrom('webhook_deliveries').where('event_id', 'in', ids).execute();
      await transaction.deleteFrom('events').where('id', 'in', ids).execute();
      return ids.length;
    },
  });

/** Deletes senders that were deleted before the time and that no email names. */
export const deleteSenders = (store: Store, asked: PageToRemove): Promise<RemovedPage> =>
  deleteUnreferenced(store, asked, { table: 'senders', time: 'deleted_at' }, ['emails', 'sender_id']);

/** Deletes domains, with their DKIM keys, that were deleted before the time and that no sender names. */
export const deleteDomains = (store: Store, asked: PageToRemove): Promise<RemovedPage> =>
  deleteUnreferenced(store, asked, { table: 'domains', time: 'deleted_at' }, ['senders', 'domain_id']);

/** Deletes webhooks, with their signing secrets, that were deleted before the time and that no delivery names. */
export const deleteWebhooks = (store: Store, asked: PageToRemove): Promise<RemovedPage> =>
  deleteUnreferenced(store, asked, { table: 'webhooks', time: 'deleted_at' }, ['webhook_deliveries', 'webhook_id']);

/** Deletes API keys that were revoked before the time. */
export const deleteApiKeys = (store: Store, asked: PageToRemove): Promise<RemovedPage> =>
  deleteUnreferenced(store, asked, { table: 'api_keys', time: 'revoked_at' });

/** Deletes Idempotency-Keys that were used before the time and whose email, if any, has left. */
export const deleteIdempotencyKeys = (store: Store, { before, after, limit }: PageToRemove): Promise<RemovedPage> =>
  inTransaction(store, async (transaction) => {
    const [time = '', owner = '', key = ''] = (after ?? []) as string[];
    const rows = await transaction
      .selectFrom('idempotency_keys')
      .select(['created_at', 'owner', 'key'])
      .where('email_id', 'is', null)
      .where('created_at', '<', before)
      .where((where) => where.eb(where.refTuple('created_at', 'owner', 'key'), '>', where.tuple(time, owner, key)))
      .orderBy('created_at')
      .orderBy('owner')
      .orderBy('key')
      .limit(limit)
      .forUpdate()
      .skipLocked()
      .execute();
    if (rows.length > 0) {
      await transaction
        .deleteFrom('idempotency_keys')
        .where((where) =>
          where.eb(
            where.refTuple('owner', 'key'),
            'in',
            rows.map((row) => where.tuple(row.owner, row.key)),
          ),
        )
        .execute();
    }
    return {
      removed: rows.length,
      next: positionAfter(rows, limit, (row) => [row.created_at, row.owner, row.key]),
    };
  });

interface OldestRows {
  readonly table: 'api_keys' | 'domains' | 'emails' | 'events' | 'senders' | 'webhooks';
  /** The column that the retention is counted from. */
  readonly time: string;
  /** The condition of the index on it. @default every row */
  readonly only?: RawBuilder<boolean>;
}

interface Removal {
  readonly oldest: OldestRows;
  /** @param ids of a page, at least one @returns how many rows it removed */
  readonly remove: (transaction: StoreTransaction, ids: readonly string[]) => Promise<number>;
}

const removePage = (store: Store, asked: PageToRemove, { oldest, remove }: Removal): Promise<RemovedPage> =>
  inTransaction(store, async (transaction) => {
    const rows = await lockOldest(transaction, asked, oldest);
    const ids = rows.map(({ id }) => id);
    return {
      removed: ids.length === 0 ? 0 : await remove(transaction, ids),
      next: positionAfter(rows, asked.limit, ({ at, id }) => [at, id]),
    };
  });

function lockOldest(
  transaction: StoreTransaction,
  { before, after, limit }: PageToRemove,
  { table, time, only }: OldestRows,
): Promise<{ id: string; at: string }[]> {
  const at = sql.ref<string>(time);
  const [lastAt = '', lastId = ''] = (after ?? []) as string[];
  return transaction
    .selectFrom(table)
    .select(['id', at.as('at')])
    .$if(only !== undefined, (query) => query.where(only ?? sql<boolean>`true`))
    .where(at, '<', before)
    .where(sql<boolean>`(${at}, id) > (${lastAt}, ${lastId})`)
    .orderBy(at)
    .orderBy('id')
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .execute();
}

/** @param references the column of another table that may name a row: such a row stays */
const deleteUnreferenced = (
  store: Store,
  asked: PageToRemove,
  oldest: OldestRows,
  references?: readonly [table: 'emails' | 'senders' | 'webhook_deliveries', column: string],
): Promise<RemovedPage> =>
  removePage(store, asked, {
    oldest,
    async remove(transaction, ids) {
      let deletion = transaction.deleteFrom(oldest.table).where('id', 'in', ids);
      if (references !== undefined) {
        const [table, column] = references;
        const [naming, id] = [sql.ref(`${table}.${column}`), sql.ref(`${oldest.table}.id`)];
        deletion = deletion.where(sql<boolean>`not exists (select 1 from ${sql.table(table)} where ${naming} = ${id})`);
      }
      return Number((await deletion.executeTakeFirst()).numDeletedRows);
    },
  });

const idsOf = async (query: { execute(): Promise<{ id: string }[]> }): Promise<string[]> =>
  (await query.execute()).map(({ id }) => id);
