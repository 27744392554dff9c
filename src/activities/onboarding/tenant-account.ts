import { cancellationSignal } from '@temporalio/activity';
import type { AccountProvider, CreateOptions } from '../../email-provider/email-provider.ts';
import { apiKeyRef, ownKeyRef, stepIdempotencyKey } from '../../onboarding/onboarding-ids.ts';
import { getIssued, type IssuedSecret } from '../../store/issued-secret.ts';
import type { StepInput } from './step-input.ts';
import type { ActivityDependencies } from '../activity-dependencies.ts';
import { expectedFailure } from '../../lib/expected-failure.ts';

/** The key that sendoff works with: its own, or the tenant's if that has every scope. Undefined if the database has neither. */
export async function keyInUse(
  tenantId: string,
  { secrets }: Pick<ActivityDependencies, 'secrets'>,
): Promise<IssuedSecret | undefined> {
  const own = await getIssued(secrets, ownKeyRef(tenantId));
  if (own !== undefined) return own;
  const tenants = await getIssued(secrets, apiKeyRef(tenantId));
  return tenants?.scopes === undefined ? tenants : undefined;
}

/** The provider with the tenant's account. Throws a retryable SecretMissing if the database has no key: another Worker's may. */
export async function tenantAccount(
  tenantId: string,
  { provider, secrets }: Pick<ActivityDependencies, 'provider' | 'secrets'>,
): Promise<AccountProvider> {
  const key = await keyInUse(tenantId, { secrets });
  if (key === undefined) {
    throw expectedFailure({
      type: 'SecretMissing',
      message: `The database of this Worker (SENDOFF_DATABASE_URL) holds no API key at ${apiKeyRef(tenantId)} or ${ownKeyRef(tenantId)}. Start this Worker with the database that holds it, or restore the row`,
    });
  }
  return provider.withKey(key.secret);
}

/** Whether a key is stored: without it, only the first step can have reached the provider. */
export const hasAccount = async (
  tenantId: string,
  dependencies: Pick<ActivityDependencies, 'secrets'>,
): Promise<boolean> => (await keyInUse(tenantId, dependencies)) !== undefined;

/** Of a creation, which a repetition of the step finds. @param name see `stepIdempotencyKey` */
export const creationOf = (
  { tenantId, attemptId }: Pick<StepInput, 'tenantId' | 'attemptId'>,
  name: string,
): CreateOptions => ({
  idempotencyKey: stepIdempotencyKey(tenantId, attemptId, name),
  signal: cancellationSignal(),
});
