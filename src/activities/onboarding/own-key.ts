import { cancellationSignal } from '@temporalio/activity';
import type { AccountProvider } from '../../email-provider/email-provider.ts';
import { ProviderError } from '../../email-provider/provider-error.ts';
import { ownKeyRef } from '../../onboarding/onboarding-ids.ts';
import { deleteIssued, getIssued, type IssuedSecret, putIssued } from '../../store/issued-secret.ts';
import type { WatchedDomain } from '../../store/upkeep/watched-domains.ts';
import type { ActivityDependencies } from '../activity-dependencies.ts';
import { isConfirmed } from '../confirmed-answer.ts';
import { issueKey } from './issue-key.ts';
import { creationOf, keyInUse } from './tenant-account.ts';

/**
 * The API key that sendoff keeps for itself: the one that the onboarding began with, if the tenant's key cannot do everything, or
 * one that the checks of a watched domain create after the tenant's only key was claimed.
 */
export function ownKeys({ provider, secrets }: Pick<ActivityDependencies, 'provider' | 'secrets'>) {
  async function revoke(keyId: string): Promise<void> {
    try {
      await provider.revokeApiKey(keyId, { signal: cancellationSignal() });
    } catch (error) {
      const isGone = error instanceof ProviderError && error.meaning === 'gone';
      const isKept = error instanceof ProviderError && error.meaning === 'unsupported' && isConfirmed(error);
      if (!isGone && !isKept) throw error;
    }
  }

  async function issue(watched: WatchedDomain): Promise<IssuedSecret> {
    const { tenantId: account } = watched;
    const ref = ownKeyRef(account);
    const create = (name: string) => provider.createApiKey({ account, name: ref }, creationOf(watched, name));
    const { id, token, scopes } = await issueKey('watchDomain', create, revoke);
    const key = { id, secret: token, ...(scopes === undefined && { isUnproven: true }) };
    await putIssued(secrets, ref, key);
    return key;
  }

  return {
    /**
     * Runs a call with the account; undefined if the key seems to belong to another one. A key of our own that the provider refuses is
     * forgotten: the next check replaces it.
     */
    async withAccount<T>(
      watched: WatchedDomain,
      call: (account: AccountProvider) => Promise<T>,
    ): Promise<T | undefined> {
      const ref = ownKeyRef(watched.tenantId);
      const key = (await keyInUse(watched.tenantId, { secrets })) ?? (await issue(watched));
      try {
        const result = await call(provider.withKey(key.secret));
        if (key.isUnproven === true) await putIssued(secrets, ref, { id: key.id, secret: key.secret });
        return result;
      } catch (error) {
        if (!(error instanceof ProviderError)) throw error;
        if (error.denies === 'credential') await deleteIssued(secrets, ref, key.id);
        if (key.isUnproven === true && error.denies === 'access') return undefined;
        throw error;
      }
    },

    /** For a domain that is no longer watched, and for the next onboarding of the tenant. @param except a key that stays */
    async revokeOwn(tenantId: string, except?: string): Promise<void> {
      const ref = ownKeyRef(tenantId);
      const held = await getIssued(secrets, ref);
      if (held === undefined || held.id === except) return;
      await revoke(held.id);
      await deleteIssued(secrets, ref, held.id);
    },
  };
}
