import type { Client } from '@temporalio/client';
import type { Register, StoredRecord } from '../../store/onboarding/register.ts';
import { executionOf } from './ended-onboardings.ts';
import { OnboardingUnavailable } from './onboarding-unavailable.ts';

/** The record, if the register shows it as running and Temporal has no execution of it, which is no end. */
export async function recordWithoutExecution(
  client: Client,
  register: Register,
  tenantId: string,
): Promise<StoredRecord | undefined> {
  const record = await register.get(tenantId);
  if (record?.outcome !== 'running' || (await executionOf(client, record)) !== 'missing') return undefined;
  return record;
}

export async function throwIfMissing(client: Client, register: Register, tenantId: string): Promise<void> {
  if ((await recordWithoutExecution(client, register, tenantId)) === undefined) return;
  throw new OnboardingUnavailable(
    `The register shows the onboarding of ${tenantId} as running, but Temporal has no execution of it: sendoff doctor says what to do.`,
  );
}
