import { ApplicationFailure } from '@temporalio/common';
import type { AccountProvider } from '../email-provider/email-provider.ts';
import { apiKeyRef } from '../onboarding/onboarding-ids.ts';
import { getIssued } from '../store/issued-secret.ts';
import type { ActivityDependencies } from './activity-dependencies.ts';
import { withoutStack } from '../lib/without-stack.ts';

/** The provider with the tenant's API key. Throws a retryable SecretMissing if the database has no key: another Worker's may. */
export async function tenantAccount(
  tenantId: string,
  { provider, secrets }: Pick<ActivityDependencies, 'provider' | 'secrets'>,
): Promise<AccountProvider> {
  const key = await getIssued(secrets, apiKeyRef(tenantId));
  if (key === undefined) {
    throw withoutStack(
      ApplicationFailure.create({
        type: 'SecretMissing',
        message: `The database of this Worker (SENDOFF_DATABASE_URL) holds no API key at ${apiKeyRef(tenantId)}. Start this Worker with the database that holds it, or restore the row`,
      }),
    );
  }
  return provider.withKey(key.secret);
}

/** Whether the tenant's key is stored: without it, only the first step can have reached the provider. */
export const hasAccount = async (
  tenantId: string,
  { secrets }: Pick<ActivityDependencies, 'secrets'>,
): Promise<boolean> => (await getIssued(secrets, apiKeyRef(tenantId))) !== undefined;
