import { sql } from 'kysely';
import type { Database, Schema } from '../database.ts';

interface TenantPage {
  readonly after: string;
  readonly limit: number;
}

/** Tenants whose onboarding has no recorded end, in the order of their IDs. */
export const runningTenants = (database: Database, { after, limit }: TenantPage): Promise<string[]> =>
  tenantIds(tenantsAfter(database, after, limit).where('outcome', '=', 'running'));

/** Tenants whose onboarding is recorded as stuck, in the order of their IDs. */
export const stuckTenants = (database: Database, { after, limit }: TenantPage): Promise<string[]> =>
  tenantIds(tenantsAfter(database, after, limit).where('stuck', '=', 1));

/** How many onboardings have no recorded end at each provider that has any. */
export async function runningByProvider(
  database: Database,
): Promise<ReadonlyMap<Schema['onboardings']['provider'], number>> {
  const rows = await database
    .selectFrom('onboardings')
    .select(['provider', sql<number | string>`count(*)`.as('onboardings')])
    .where('outcome', '=', 'running')
    .groupBy('provider')
    .orderBy('provider')
    .execute();
  return new Map(rows.map(({ provider, onboardings }) => [provider, Number(onboardings)]));
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
