import type { Kysely } from 'kysely';
import { type Database, type Schema, watchColumns } from '../database.ts';
import { sendAhead } from '../../lib/sql/transactions.ts';
import { type MutedRecord, muteRecord, newWatch, unmuteRecord } from '../../onboarding/domain-watch.ts';
import type { OnboardingRecord } from '../../onboarding/onboarding-record.ts';
import type { Register } from '../onboarding/register.ts';
import { rowMapping } from '../row-mapping.ts';
import type { WatchedDomain, WatchPosition } from './watched-domains.ts';

const { toRow, toFields: toWatched } = rowMapping<WatchedDomain, typeof watchColumns>(watchColumns);

export type WatchedDomains = ReturnType<typeof createSqlWatchedDomains>;

export function createSqlWatchedDomains(database: Database, register: Pick<Register, 'watch'>) {
  return {
    /** Undefined unless the tenant's latest onboarding succeeded. */
    get: (tenantId: string) => readWatch(database, tenantId),

    /** Those of these tenants that are watched, by tenant. */
    async getAll(tenantIds: readonly string[]): Promise<ReadonlyMap<string, WatchedDomain>> {
      if (tenantIds.length === 0) return new Map();
      const rows = await database
        .selectFrom('watched_domains')
        .selectAll()
        .where('tenant_id', 'in', tenantIds)
        .execute();
      return new Map(rows.map((row) => [row.tenant_id, toWatched(row)]));
    },

    /** @param page.dueBy RFC 3339 UTC; `after`: the last of the previous page */
    async due(page: { dueBy: string; after: WatchPosition | null; limit: number }): Promise<WatchPosition[]> {
      const { dueBy, after, limit } = page;
      const { nextCheckAt, tenantId } = after ?? { nextCheckAt: '', tenantId: '' };
      const rows = await database
        .selectFrom('watched_domains')
        .select(['next_check_at', 'tenant_id'])
        .where('next_check_at', '>=', nextCheckAt)
        .where('next_check_at', '<=', dueBy)
        .where((row) => row.or([row('next_check_at', '>', nextCheckAt), row('tenant_id', '>', tenantId)]))
        .orderBy('next_check_at')
        .orderBy('tenant_id')
        .limit(limit)
        .execute();
      return rows.map((row) => ({ nextCheckAt: row.next_check_at ?? '', tenantId: row.tenant_id }));
    },

    /** See `muteRecord`. Undefined if the tenant's domain is not watched. */
    mute: (tenantId: string, record: MutedRecord) =>
      register.watch(tenantId, record.at, (watched) => {
        const { watch, event } = muteRecord(watched, record);
        return { watched: { ...watched, ...watch }, events: event === null ? [] : [event] };
      }),

    /** The domain is due at once. Undefined if the tenant's domain is not watched. */
    unmute: (tenantId: string, purpose: string, at: string) =>
      register.watch(tenantId, at, (watched) => ({
        watched: {
          ...watched,
          ...unmuteRecord(watched, purpose),
          nextCheckAt: watched.nextCheckAt === null || watched.nextCheckAt < at ? watched.nextCheckAt : at,
        },
        events: [],
      })),
  };
}

export async function readWatch(database: Kysely<Schema>, tenantId: string): Promise<WatchedDomain | undefined> {
  const row = await database
    .selectFrom('watched_domains')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .executeTakeFirst();
  return row && toWatched(row);
}

export async function putWatch(transaction: Kysely<Schema>, watched: WatchedDomain): Promise<void> {
  const { tenant_id, ...columns } = toRow(watched);
  await sendAhead(
    transaction,
    transaction
      .insertInto('watched_domains')
      .values({ tenant_id, ...columns })
      .onConflict((conflict) => conflict.column('tenant_id').doUpdateSet(columns)),
  );
}

/** Begins the watch when an onboarding succeeds, and ends it when another one begins. */
export async function startOrEndWatch(
  transaction: Kysely<Schema>,
  before: OnboardingRecord | undefined,
  { tenantId, attemptId, outcome, onboarding: { domainId } }: OnboardingRecord,
  at: string,
): Promise<void> {
  if (before !== undefined && before.attemptId !== attemptId) {
    await sendAhead(transaction, transaction.deleteFrom('watched_domains').where('tenant_id', '=', tenantId));
  }
  if (outcome !== 'onboarded' || domainId === null) return;
  if (before?.attemptId === attemptId && before.outcome === 'onboarded') return;
  await putWatch(transaction, { ...newWatch(at), tenantId, attemptId, domainId, nextCheckAt: at });
}
