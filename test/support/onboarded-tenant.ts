import { newOnboarding } from '../../src/onboarding/onboarding.ts';
import { apiKeyRef } from '../../src/onboarding/onboarding-ids.ts';
import { putIssued } from '../../src/store/issued-secret.ts';
import type { Register } from '../../src/store/onboarding/register.ts';
import type { SecretStore } from '../../src/store/secret-store.ts';
import { inputOf } from './valid-input.ts';
import type { ScriptedProvider } from './scripted-provider.ts';

/** Gives a tenant a key, a domain and the record of a successful onboarding, which ended at that time. */
export async function onboardedTenant(
  tenantId: string,
  at: string,
  { provider, secrets, register }: Pick<ScriptedProvider, 'provider'> & { secrets: SecretStore; register: Register },
): Promise<void> {
  const key = await provider.createApiKey({ account: tenantId, name: tenantId }, { idempotencyKey: tenantId });
  const token = key.token ?? '';
  await putIssued(secrets, apiKeyRef(tenantId), { id: key.id, secret: token });
  const input = inputOf(tenantId);
  const { id: domainId } = await provider
    .withKey(token)
    .createDomain({ name: input.domain }, { idempotencyKey: `${tenantId}/domain` });
  const attemptId = `attempt-${tenantId}`;
  await register.end({
    ...{ tenantId, attemptId, runId: attemptId, startedAt: at, at, startedWith: null },
    onboarding: { ...newOnboarding(input), domainId },
    ...{ outcome: 'onboarded', result: null, failure: null },
  });
}
