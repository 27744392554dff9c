import { sql } from 'kysely';
import type { Stage } from '../../onboarding/stage.ts';
import type { Database, Schema } from '../database.ts';

interface TenantPage {
  readonly after: string;
  readonly limit: number;
}

/** Tenants whose onboarding has no recorded end, in the order of their IDs. */
export const runningTenants = (database: Database, { after, limit }: TenantPage): Promise<string[]> =>
  tenantIds(tenantsAfter(database, after, limit).where('outcome', '=', 'running'));

/** All of them, a page at a time. An onboarding may end between two pages. */
export async function* runningTenantPages(database: Database, limit = 100): AsyncGenerator<string[]> {
  for (let after: string | undefined = ''; after !== undefined;) {
    const page: string[] = await runningTenants(database, { after, limit });
    yield page;
    after = page.length < limit ? undefined : page.at(-1);
  }
}

/** Tenants whose onboarding is recorded as stuck, in the order of their IDs. */
export const stuckTenants = (database: Database, { after, limit }: TenantPage): Promise<string[]> =>
  tenantIds(tenantsAfter(database, after, limit).where('stuck', '=', 1));

export interface RunningCount {
  readonly provider: Schema['onboardings']['provider'];
  readonly stage: Stage;
  readonly onboardings: number;
  /** The number of these whose stage has lasted longer than it may. */
  readonly overdue: number;
}

/** How many onboardings have no recorded end, by provider and stage. Reads the index alone. */
export async function countRunning(database: Database, now: Date): Promise<RunningCount[]> {
  const rows = await database
    .selectFrom('onboardings')
    .select([
      ...(['provider', 'stage'] as const),
      sql<number | string>`count(*)`.as('onboardings'),
      sql<number | string>`count(case when due_at < ${now.toISOString()} then 1 end)`.as('overdue'),
    ])
    .where('outcome', '=', 'running')
    .groupBy(['provider', 'stage'])
    .orderBy('provider')
    .orderBy('stage')
    .execute();
  return rows.map((row) => ({ ...row, onboardings: Number(row.onboardings), overdue: Number(row.overdue) }));
}

/** Recorded as stuck. */
export async function countStuck(database: Database): Promise<number> {
  const row = await database
    .selectFrom('onboardings')
    .select(sql<number | string>`count(*)`.as('onboardings'))
    .where('stuck', '=', 1)
    .executeTakeFirst();
  return Number(row?.onboardings ?? 0);
}

const tenantsAfter = (database: Database, after: string, limit: number) =>
  database
    .selectFrom('onboardings')
    .select('tenant_id')
    .where('tenant_id', '>', after)
    .orderBy('tenant_id')
    .limit(limit);

async function tenantIds(query: ReturnType<typeof tenantsAfter>): Promise<string[]> {
  return (await query.execute()).map(({ tenant_id }) => tenant_id);
}
