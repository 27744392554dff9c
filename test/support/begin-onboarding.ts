import { newOnboarding } from '../../src/onboarding/onboarding.ts';
import type { ProviderName } from '../../src/onboarding/provider-name.ts';
import type { Register } from '../../src/store/onboarding/register.ts';

/**
 * Records a tenant's onboarding as its first step does.
 *
 * @param attemptId its first Run Id
 * @param provider if it is not the embedded one
 */
export async function beginOnboarding(
  register: Register,
  tenantId: string,
  attemptId = `attempt-of-${tenantId}`,
  provider?: ProviderName,
): Promise<void> {
  const domain = `${tenantId}.test`;
  const firstEmail = { recipient: 'ada@inbox.test', subject: 'Welcome', body: 'It works.' };
  const input = { tenantId, domain, fromAddress: `hello@${domain}`, firstEmail, ...(provider && { provider }) };
  const at = new Date().toISOString();
  await register.begin({
    ...{ tenantId, attemptId, runId: attemptId, at, startedAt: at, startedWith: input },
    onboarding: newOnboarding(input),
  });
}
