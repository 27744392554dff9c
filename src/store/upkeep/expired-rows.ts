// What the retention removes. A page is one transaction; rows that another transaction has locked wait for the next run.
import { sql } from 'kysely';
import { type PageToRemove, positionAfter, type RemovedPage } from '../../lib/retention/remove-expired.ts';
import { inTransaction } from '../../lib/sql/transactions.ts';
import type { Database } from '../database.ts';

/**
 * Deletes events of before the time, except those of which the backend is still to be notified. The newest event stays, so that a
 * listener that has received all events can continue there.
 */
export const deleteEvents = (database: Database, { before, after, limit }: PageToRemove): Promise<RemovedPage> =>
  inTransaction(database, async (transaction) => {
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

/** Deletes the claims of onboardings that a later one of the same tenant has replaced. */
export const deleteClaims = (database: Database, { before, after, limit }: PageToRemove): Promise<RemovedPage> =>
  inTransaction(database, async (transaction) => {
    const [lastAt = '', lastAttempt = ''] = (after ?? []) as string[];
    const rows = await transaction
      .selectFrom('api_key_claims')
      .select(['at', 'attempt_id'])
      .where('at', '<', before)
      .where((where) => where.eb(where.refTuple('at', 'attempt_id'), '>', where.tuple(lastAt, lastAttempt)))
      .orderBy('at')
      .orderBy('attempt_id')
      .limit(limit)
      .forUpdate()
      .skipLocked()
      .execute();
    const next = positionAfter(rows, limit, (row) => [row.at, row.attempt_id]);
    if (rows.length === 0) return { removed: 0, next };
    const { numDeletedRows } = await transaction
      .deleteFrom('api_key_claims')
      .where(
        'attempt_id',
        'in',
        rows.map((row) => row.attempt_id),
      )
      .where((where) =>
        where.not(
          where.exists(
            where
              .selectFrom('onboardings')
              .select('onboardings.tenant_id')
              .whereRef('onboardings.tenant_id', '=', 'api_key_claims.tenant_id')
              .whereRef('onboardings.attempt_id', '=', 'api_key_claims.attempt_id'),
          ),
        ),
      )
      .executeTakeFirst();
    return { removed: Number(numDeletedRows), next };
  });

/** Deletes the links to setup pages that open nothing: another onboarding has begun, or the link's ended before the time. */
export const deleteSetupLinks = (database: Database, { before, after, limit }: PageToRemove): Promise<RemovedPage> =>
  inTransaction(database, async (transaction) => {
    const [lastAt = '', lastHash = ''] = (after ?? []) as string[];
    const rows = await transaction
      .selectFrom('setup_links')
      .select(['created_at', 'id_hash'])
      .where('created_at', '<', before)
      .where((where) => where.eb(where.refTuple('created_at', 'id_hash'), '>', where.tuple(lastAt, lastHash)))
      .orderBy('created_at')
      .orderBy('id_hash')
      .limit(limit)
      .forUpdate()
      .skipLocked()
      .execute();
    const next = positionAfter(rows, limit, (row) => [row.created_at, row.id_hash]);
    if (rows.length === 0) return { removed: 0, next };
    const { numDeletedRows } = await transaction
      .deleteFrom('setup_links')
      .where(
        'id_hash',
        'in',
        rows.map((row) => row.id_hash),
      )
      .where((where) =>
        where.not(
          where.exists(
            where
              .selectFrom('onboardings')
              .select('onboardings.tenant_id')
              .whereRef('onboardings.tenant_id', '=', 'setup_links.tenant_id')
              .whereRef('onboardings.attempt_id', '=', 'setup_links.attempt_id')
              .where((open) =>
                open.or([open('onboardings.ended_at', 'is', null), open('onboardings.ended_at', '>=', before)]),
              ),
          ),
        ),
      )
      .executeTakeFirst();
    return { removed: Number(numDeletedRows), next };
  });
