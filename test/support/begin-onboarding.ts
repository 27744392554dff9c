import { newOnboarding, type Onboarding } from '../../src/onboarding/onboarding.ts';
import type { ProviderName } from '../../src/onboarding/provider-name.ts';
import type { RecordEnd } from '../../src/onboarding/record-change.ts';
import type { Register } from '../../src/store/onboarding/register.ts';
import { inputOf } from './valid-input.ts';

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
  const input = inputOf(tenantId, provider && { provider });
  const at = new Date().toISOString();
  await register.begin({
    ...{ tenantId, attemptId, runId: attemptId, at, startedAt: at, startedWith: input },
    onboarding: newOnboarding(input),
  });
}

type Ending = Partial<Omit<RecordEnd, 'onboarding'>> & { readonly onboarding?: Partial<Onboarding> };

/** Records the end of a tenant's onboarding that is recorded. @default cancelled now */
export async function endOnboarding(
  register: Register,
  tenantId: string,
  { onboarding, ...ending }: Ending = {},
): Promise<void> {
  const record = await register.get(tenantId);
  if (record === undefined) throw new Error(`no record of ${tenantId}`);
  await register.end({
    ...{ ...record, outcome: 'cancelled', result: null, failure: null, at: new Date().toISOString(), ...ending },
    onboarding: { ...record.onboarding, ...onboarding },
  });
}
