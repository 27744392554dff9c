import './sixth-step.ts';
import { condition } from '@temporalio/workflow';
import type { OnboardTenantInput } from '../../../src/onboarding/input.ts';
import type { OnboardTenantResult } from '../../../src/onboarding/onboarding-record.ts';
import { endAfter } from '../../../src/workflows/onboarding/end-of-onboarding.ts';
import { handleMessages } from '../../../src/workflows/onboarding/handle-messages.ts';
import { newRun } from '../../../src/workflows/onboarding/onboarding-run.ts';
import { startOf } from '../../../src/workflows/onboarding/record-end.ts';
import { runStep } from '../../../src/workflows/onboarding/run-step.ts';
import { enterStage } from '../../../src/workflows/onboarding/show-stage.ts';

/** The first step and the sixth, and then nothing until it is cancelled. */
export async function onboardTenant(input: OnboardTenantInput): Promise<OnboardTenantResult> {
  const run = newRun(input);
  handleMessages(run);
  try {
    await runStep(run, 'issueApiKey', { beginning: { ...startOf(), onboarding: run.onboarding } });
    await runStep(run, 'openMailbox' as 'registerWebhook', {});
    enterStage(run, 'registeringWebhook');
    await condition(() => false);
    throw new Error('unreachable');
  } catch (error) {
    return await endAfter(run, error);
  }
}
