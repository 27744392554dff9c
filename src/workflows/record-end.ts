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
import type { OnboardingAttempt, OnboardingRecord } from '../onboarding/onboarding-record.ts';
import { withoutStack } from '../lib/without-stack.ts';
import { quickStepOptions, recordOptions } from './activity-options.ts';
import type { OnboardingRun } from './onboarding-run.ts';
import { quickThenPatient } from './quick-then-patient.ts';

const quick = proxyLocalActivities<Activities>(quickStepOptions);
const patient = proxyActivities<Activities>(recordOptions);

/** `startedWith`: the input from the memo, where the HTTP API replaces the body with a hash. */
export function startOf(): Pick<OnboardingAttempt, 'startedAt' | 'startedWith'> {
  const { startTime, memo } = workflowInfo();
  return {
    startedAt: startTime.toISOString(),
    startedWith: (memo?.['input'] as OnboardTenantInput | undefined) ?? null,
  };
}

/**
 * Records the outcome before the Workflow completes, because Temporal deletes the execution after the Namespace's
 * retention and a later start is compared with the record. Retried until the database accepts it.
 *
 * @throws ApplicationFailure ONBOARDING_ENDED if the onboarding has already ended in another run
 */
export async function recordEnd(
  run: OnboardingRun,
  end: Pick<OnboardingRecord, 'outcome'> & Partial<Pick<OnboardingRecord, 'result' | 'failure'>>,
): Promise<void> {
  // The patch is for onboardings that an earlier version, without a register, started.
  if (!run.isRecorded && !patched('record-end')) return;
  const { input, attemptId, onboarding } = run;
  const { tenantId } = input;
  const record = { tenantId, attemptId, ...startOf(), onboarding, result: null, failure: null, ...end };
  const options = { summary: `Record the outcome of ${tenantId}` };
  const earlier = await quickThenPatient(
    () => quick.recordEnd.executeWithOptions(options, [record]),
    () => CancellationScope.nonCancellable(() => patient.recordEnd.executeWithOptions(options, [record])),
  );
  if (earlier === null) return;
  const { message, ...details } = earlier;
  throw withoutStack(
    ApplicationFailure.create({
      type: ONBOARDING_ENDED,
      nonRetryable: true,
      message,
      details: [details],
    }),
  );
}
