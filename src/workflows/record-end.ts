import {
  ApplicationFailure,
  CancellationScope,
  patched,
  proxyActivities,
  proxyLocalActivities,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import type { OnboardTenantInput } from '../onboarding/input.ts';
import { ONBOARDING_ENDED } from '../onboarding/onboarding-ended.ts';
import type { Attempt, OnboardingRecord } from '../onboarding/onboarding-record.ts';
import { withoutStack } from '../lib/without-stack.ts';
import { quickStepOptions, recordOptions } from './activity-options.ts';
import type { OnboardingRun } from './onboarding-run.ts';
import { quickThenPatient } from './quick-then-patient.ts';

const quick = proxyLocalActivities<Activities>(quickStepOptions);
const patient = proxyActivities<Activities>(recordOptions);

/** What the HTTP API keeps of the input in the memo has a hash in place of the body. */
export function startOf(): Pick<Attempt, 'startedAt' | 'startedWith'> {
  const { startTime, memo } = workflowInfo();
  return {
    startedAt: startTime.toISOString(),
    startedWith: (memo?.['input'] as OnboardTenantInput | undefined) ?? null,
  };
}

/**
 * Records how the onboarding ended before the Workflow completes: Temporal deletes the execution when the Namespace's
 * retention is over, and the record is what a later start is compared with. Retried until the database takes it.
 *
 * @throws ApplicationFailure ONBOARDING_ENDED when the onboarding has ended in another run before
 */
export async function recordEnd(
  run: OnboardingRun,
  end: Pick<OnboardingRecord, 'outcome'> & Partial<Pick<OnboardingRecord, 'result' | 'failure'>>,
): Promise<void> {
  // A record that has begun says that this version began it; the patch is for onboardings that an earlier one began.
  if (!run.isRecorded && !patched('record-end')) return;
  const { input, attemptId, onboarding } = run;
  const { tenantId } = input;
  const record = { tenantId, attemptId, ...startOf(), onboarding, result: null, failure: null, ...end };
  const options = { summary: `Record how the onboarding of ${tenantId} ended` };
  const earlier = await CancellationScope.nonCancellable(() =>
    quickThenPatient(
      () => quick.recordEnd.executeWithOptions(options, [record]),
      () => patient.recordEnd.executeWithOptions(options, [record]),
    ),
  );
  if (earlier === null) return;
  const { message, result } = earlier;
  throw withoutStack(
    ApplicationFailure.create({
      type: ONBOARDING_ENDED,
      nonRetryable: true,
      message,
      details: [{ result }],
    }),
  );
}
