import type { Database } from '../database.ts';

/** Tenants whose onboarding has no recorded end, in the order of their IDs. */
export async function runningTenants(
  database: Database,
  { after, limit }: { after: string; limit: number },
): Promise<string[]> {
  const rows = await database
    .selectFrom('onboardings')
    .select('tenant_id')
    .where('outcome', '=', 'running')
    .where('tenant_id', '>', after)
    .orderBy('tenant_id')
    .limit(limit)
    .execute();
  return rows.map(({ tenant_id }) => tenant_id);
}
