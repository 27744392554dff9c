import { activityInfo } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { AccountProvider } from '../email-provider/email-provider.ts';
import { apiKeyRef } from '../onboarding/ids.ts';
import { getIssued } from '../secrets/issued-secret.ts';
import type { ActivityDependencies } from './index.ts';

/** The provider as the tenant's own API key sees it. Throws a non-retryable ProviderRejected when the key is not stored. */
export async function accountOf(
  tenantId: string,
  { provider, secrets }: Pick<ActivityDependencies, 'provider' | 'secrets'>,
): Promise<AccountProvider> {
  const key = await getIssued(secrets, apiKeyRef(tenantId));
  if (key === undefined) {
    throw ApplicationFailure.create({
      type: 'ProviderRejected',
      nonRetryable: true,
      message: `The secret store holds no API key at ${apiKeyRef(tenantId)}`,
      details: [{ step: activityInfo().activityType, httpStatus: 401, code: 'api_key_missing', requestId: null }],
    });
  }
  return provider.withKey(key.secret);
}

/** Whether a key of the tenant is stored: without one, no step but the first can have reached the provider. */
export const hasAccount = async (
  tenantId: string,
  { secrets }: Pick<ActivityDependencies, 'secrets'>,
): Promise<boolean> => (await getIssued(secrets, apiKeyRef(tenantId))) !== undefined;
