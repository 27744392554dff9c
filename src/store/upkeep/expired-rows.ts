// The rows that the retention removes. A page is one transaction; rows that another transaction has locked wait for the next run.
import { sql } from 'kysely';
import { type PageToRemove, positionAfter, type RemovedPage } from '../../lib/retention/remove-expired.ts';
import { deletePage } from '../../lib/retention/remove-page.ts';
import { inTransaction } from '../../lib/sql/transactions.ts';
import type { Database } from '../database.ts';

/** By the kind that the report names. */
export const removals = {
  /**
   * Events of before the time, except those of which the backend is still to be notified. The newest event stays, so that a listener that
   * has received all events can continue there.
   */
  events: deleteEvents,

  /** The claims of onboardings that a later one of the same tenant has replaced. */
  claims: (database, asked) =>
    deletePage(
      database,
      asked,
      { table: 'api_key_claims', time: 'at', key: ['attempt_id'] },
      sql`select 1 from onboardings where onboardings.tenant_id = api_key_claims.tenant_id
        and onboardings.attempt_id = api_key_claims.attempt_id`,
    ),

  /** Events of the providers' webhooks, unless the tenant has an onboarding that may still read them. */
  'provider events': (database, asked) =>
    deletePage(
      database,
      asked,
      { table: 'provider_events', time: 'received_at', key: ['provider', 'event_id'] },
      sql`select 1 from onboardings where onboardings.tenant_id = provider_events.tenant_id
        and onboardings.outcome = 'running'`,
    ),

  /** The links to setup pages that open nothing: another onboarding has begun, or the link's ended before the time. */
  'setup links': (database, asked) =>
    deletePage(
      database,
      asked,
      { table: 'setup_links', time: 'created_at', key: ['id_hash'] },
      sql`select 1 from onboardings where onboardings.tenant_id = setup_links.tenant_id
        and onboardings.attempt_id = setup_links.attempt_id
        and (onboardings.ended_at is null or onboardings.ended_at >= ${asked.before})`,
    ),
} as const satisfies Readonly<Record<string, (database: Database, asked: PageToRemove) => Promise<RemovedPage>>>;

function deleteEvents(database: Database, { before, after, limit }: PageToRemove): Promise<RemovedPage> {
  return inTransaction(database, async (transaction) => {
    const [lastId = 0] = (after ?? []) as number[];
    // In the order of their ids, in which they happened but for a few seconds.
    const rows = await transaction
      .selectFrom('onboarding_events')
      .select(['id', 'at', 'delivery'])
      .where('id', '>', lastId)
      .where('id', '<', (where) =>
        where.selectFrom('onboarding_events').select((select) => select.fn.max('id').as('newest')),
      )
      .orderBy('id')
      .limit(limit)
      .forUpdate()
      .skipLocked()
      .execute();
    const ids = rows.filter(({ at, delivery }) => at < before && delivery !== 'pending').map(({ id }) => id);
    if (ids.length > 0) {
      await transaction.deleteFrom('onboarding_events').where('id', 'in', ids).execute();
      const to = Math.max(...ids);
      await sql`update installation set events_removed_to = ${to} where events_removed_to < ${to}`.execute(transaction);
    }
    const isLast = rows.every(({ at }) => at >= before);
    return { removed: ids.length, next: isLast ? undefined : positionAfter(rows, limit, ({ id }) => [id]) };
  });
}
