import { cancellationSignal } from '@temporalio/activity';
import type { AccountProvider } from '../email-provider/email-provider.ts';
import { ProviderError } from '../email-provider/provider-error.ts';
import { apiKeyRef, stepIdempotencyKey, watchKeyRef } from '../onboarding/onboarding-ids.ts';
import { deleteIssued, getIssued, type IssuedSecret, putIssued } from '../store/issued-secret.ts';
import type { WatchedDomain } from '../store/watched-domains.ts';
import type { ActivityDependencies } from './activity-dependencies.ts';
import { issueKey } from './issue-key.ts';

/**
 * The tenant's account for checks of its domain: with the tenant's key while sendoff holds it, and after a claim with a key of
 * sendoff's own, which the operator token creates.
 */
export function watchKeys({ provider, secrets }: Pick<ActivityDependencies, 'provider' | 'secrets'>) {
  async function revoke(keyId: string): Promise<void> {
    try {
      await provider.revokeApiKey(keyId, { signal: cancellationSignal() });
    } catch (error) {
      if (!(error instanceof ProviderError && error.meaning === 'gone')) throw error;
    }
  }

  async function ownKey({ tenantId, attemptId }: WatchedDomain): Promise<IssuedSecret> {
    const ref = watchKeyRef(tenantId);
    const held = await getIssued(secrets, ref);
    if (held !== undefined) return held;
    const key = await issueKey(
      'watchDomain',
      (step) =>
        provider.createApiKey(
          { account: tenantId, name: ref },
          { idempotencyKey: stepIdempotencyKey(tenantId, attemptId, step), signal: cancellationSignal() },
        ),
      revoke,
    );
    await putIssued(secrets, ref, key);
    return key;
  }

  return {
    /** Runs a call with the account. A key of our own that the provider refuses is forgotten: the next check replaces it. */
    async withAccount<T>(watched: WatchedDomain, call: (account: AccountProvider) => Promise<T>): Promise<T> {
      const tenantsKey = await getIssued(secrets, apiKeyRef(watched.tenantId));
      if (tenantsKey !== undefined) return call(provider.withKey(tenantsKey.secret));
      const key = await ownKey(watched);
      try {
        return await call(provider.withKey(key.secret));
      } catch (error) {
        if (error instanceof ProviderError && error.httpStatus === 401)
          await deleteIssued(secrets, watchKeyRef(watched.tenantId), key.id);
        throw error;
      }
    },

    /** For a domain that is no longer watched, and for the next onboarding of the tenant. */
    async revokeOwn(tenantId: string): Promise<void> {
      const ref = watchKeyRef(tenantId);
      const held = await getIssued(secrets, ref);
      if (held === undefined) return;
      await revoke(held.id);
      await deleteIssued(secrets, ref, held.id);
    },
  };
}
