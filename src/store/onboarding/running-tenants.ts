import type { Database } from '../database.ts';

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
