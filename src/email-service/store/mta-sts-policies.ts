import type { PolicyStore, StoredPolicy } from '../delivery/find-mta-sts-policy.ts';
import type { Store } from './open-store.ts';

export const mtaStsPolicies = (store: Store): PolicyStore => ({
  async find(domain): Promise<StoredPolicy | undefined> {
    const row = await store.selectFrom('mta_sts_policies').selectAll().where('domain', '=', domain).executeTakeFirst();
    return (
      row && {
        ...{ policyId: row.policy_id, mode: row.mode, mx: JSON.parse(row.mx) as string[] },
        ...{ fetchedAt: new Date(row.fetched_at), expiresAt: new Date(row.expires_at) },
      }
    );
  },
  async keep(domain, policy) {
    const columns = {
      ...{ policy_id: policy.policyId, mode: policy.mode, mx: JSON.stringify(policy.mx) },
      ...{ fetched_at: policy.fetchedAt.toISOString(), expires_at: policy.expiresAt.toISOString() },
    };
    await store
      .insertInto('mta_sts_policies')
      .values({ domain, ...columns })
      .onConflict((conflict) => conflict.column('domain').doUpdateSet(columns))
      .execute();
  },
});
