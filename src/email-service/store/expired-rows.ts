// The rows that the retention removes.
import { sql } from 'kysely';
import type { PageToRemove, RemovedPage } from '../../lib/retention/remove-expired.ts';
import { deletePage, removePage } from '../../lib/retention/remove-page.ts';
import type { Store } from './open-store.ts';
import { eraseAttachments } from './attachments.ts';
import { deleteUnusedContents, sharedContentsOf } from './shared-contents.ts';

const ended = { table: 'emails', time: 'expires_at', only: sql<boolean>`status <> 'queued'` };
const endedWithContent = { ...ended, only: sql<boolean>`status <> 'queued' and content_erased_at is null` };

/** Few, because each can have megabytes. */
const ATTACHED_AT_ONCE = 10;

/**
 * Attachments leave before. Those of one request stay while one of them is queued: its Idempotency-Key names one of them, and the header of a message to several
 * names recipients whom an erasure finds by their own email.
 */
const endedRequests = {
  ...ended,
  only: sql<boolean>`status <> 'queued' and attachments is null and not exists (
    select 1 from emails as other where other.request_id = emails.request_id and other.status = 'queued')`,
};

type Remove = (store: Store, asked: PageToRemove, now: Date) => Promise<RemovedPage>;

/** By kind, in the order in which they leave: rows that others refer to come after them. */
export const removals = {
  /** Erases the attachments of emails that have their final status and expired before the time. */
  attachments: (store, asked) =>
    removePage(
      store,
      { ...asked, limit: Math.min(asked.limit, ATTACHED_AT_ONCE) },
      { ...ended, only: sql<boolean>`status <> 'queued' and attachments is not null` },
      async (transaction, page) => {
        await eraseAttachments(transaction, idsOf(page));
        return page.length;
      },
    ),

  /** Empties what was sent of emails that have their final status and expired before the time. */
  emailContents: (store, asked, now) =>
    removePage(store, asked, endedWithContent, async (transaction, page) => {
      await transaction
        .updateTable('emails')
        .set({ body: '', html: null, headers: '{}', signed_message: null, content_erased_at: now.toISOString() })
        .where('id', 'in', idsOf(page))
        .execute();
      await deleteUnusedContents(transaction, await sharedContentsOf(transaction, idsOf(page)));
      return page.length;
    }),

  /** Deletes emails that have their final status and expired before the time, with their attempts and tags. */
  emails: (store, asked) =>
    removePage(store, asked, endedRequests, async (transaction, page) => {
      const ids = idsOf(page);
      // From now on the key's own age decides. A request with such a key waits for this row and holds no other one.
      await transaction.updateTable('idempotency_keys').set({ email_id: null }).where('email_id', 'in', ids).execute();
      await transaction
        .updateTable('events')
        .set((event) => ({
          recipient: event
            .selectFrom('emails')
            .select(sql<string>`lower(emails.recipient)`.as('form'))
            .whereRef('emails.id', '=', 'events.email_id')
            .where('erased_at', 'is', null),
        }))
        .where('email_id', 'in', ids)
        .execute();
      const contents = await sharedContentsOf(transaction, ids);
      await transaction.deleteFrom('delivery_attempts').where('email_id', 'in', ids).execute();
      await transaction.deleteFrom('email_tags').where('email_id', 'in', ids).execute();
      await transaction.deleteFrom('emails').where('id', 'in', ids).execute();
      await deleteUnusedContents(transaction, contents);
      return ids.length;
    }),

  /**
   * Deletes events with their webhook deliveries, none of which may be pending. The newest event of each account stays, so that
   * the position of a caller that has read all events stays valid.
   */
  events: (store, asked) =>
    removePage(store, asked, { table: 'events', time: 'created_at' }, async (transaction, page) => {
      const removable = await transaction
        .selectFrom('events')
        .innerJoin('accounts', 'accounts.id', 'events.account_id')
        .select('events.id')
        .where('events.id', 'in', idsOf(page))
        .whereRef('events.number', '<', 'accounts.last_event_number')
        .where(
          sql<boolean>`not exists (select 1 from webhook_deliveries where event_id = events.id and status = 'pending')`,
        )
        .execute();
      const ids = idsOf(removable);
      await transaction.deleteFrom('webhook_deliveries').where('event_id', 'in', ids).execute();
      await transaction.deleteFrom('events').where('id', 'in', ids).execute();
      return ids.length;
    }),

  /** Deletes senders that were deleted before the time and that no email names. */
  senders: (store, asked) =>
    deletePage(store, asked, deleted('senders'), sql`select 1 from emails where sender_id = senders.id`),

  /** Deletes domains, with their DKIM keys, that were deleted before the time and that no sender names. */
  domains: (store, asked) =>
    deletePage(store, asked, deleted('domains'), sql`select 1 from senders where domain_id = domains.id`),

  /** Deletes webhooks, with their signing secrets, that were deleted before the time and that no delivery names. */
  webhooks: (store, asked) =>
    deletePage(store, asked, deleted('webhooks'), sql`select 1 from webhook_deliveries where webhook_id = webhooks.id`),

  /** Deletes API keys that were revoked before the time. */
  apiKeys: (store, asked) => deletePage(store, asked, { table: 'api_keys', time: 'revoked_at' }),

  /** Deletes API keys that expired before the time; a key never expires before those that it created. */
  expiredApiKeys: (store, asked) => deletePage(store, asked, { table: 'api_keys', time: 'expires_at' }),

  /** Deletes Idempotency-Keys that were used before the time and whose email, if any, has left. */
  idempotencyKeys: (store, asked) =>
    deletePage(store, asked, {
      ...{ table: 'idempotency_keys', time: 'created_at', key: ['owner', 'key'] },
      only: sql<boolean>`email_id is null`,
    }),

  /** Deletes MTA-STS policies that ended before the time. */
  mtaStsPolicies: (store, asked) =>
    deletePage(store, asked, { table: 'mta_sts_policies', time: 'expires_at', key: ['domain'] }),
} as const satisfies Readonly<Record<string, Remove>>;

const deleted = (table: 'senders' | 'domains' | 'webhooks') => ({ table, time: 'deleted_at' });

const idsOf = (rows: readonly Readonly<Record<string, string>>[]): string[] => rows.map(({ id = '' }) => id);
