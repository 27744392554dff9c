import { patched, sleep } from '@temporalio/workflow';
import { onboardTenant as release } from '../../../src/workflows/onboarding/onboard-tenant.ts';
import type { OnboardTenantInput } from '../../../src/onboarding/input.ts';
import type { OnboardTenantResult } from '../../../src/onboarding/onboarding-record.ts';

/** A later release, which does something else first, behind a patch. */
export async function onboardTenant(input: OnboardTenantInput): Promise<OnboardTenantResult> {
  if (patched('pause-first')) await sleep(1);
  return release(input);
}
