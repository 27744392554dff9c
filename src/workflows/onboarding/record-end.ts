import { CancellationScope, proxyActivities, proxyLocalActivities, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import type { OnboardTenantInput } from '../../onboarding/input.ts';
import { ONBOARDING_ENDED } from '../../onboarding/onboarding-ended.ts';
import type { OnboardingFailure } from '../../onboarding/failures.ts';
import type { OnboardingStart, OnboardingRecord } from '../../onboarding/onboarding-record.ts';
import { idsAfterWaitOf, type Onboarding } from '../../onboarding/onboarding.ts';
import { expectedFailure } from '../../lib/expected-failure.ts';
import { quickStepOptions, recordOptions } from '../activity-options.ts';
import { type OnboardingRun, stepInputOf } from './onboarding-run.ts';
import { quickThenPatient } from '../quick-then-patient.ts';

const quick = proxyLocalActivities<Activities>(quickStepOptions);
const patient = proxyActivities<Activities>(recordOptions);

/** `startedWith`: the input from the memo, where the HTTP API replaces the body with a hash. */
export function startOf(): Pick<OnboardingStart, 'startedAt' | 'startedWith'> {
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
  const { onboarding } = run;
  const { tenantId } = run.input;
  const record = { ...stepInputOf(run), ...startOf(), onboarding, result: null, failure: null, ...end };
  const options = { summary: `Record the outcome of ${tenantId}` };
  const earlier = await quickThenPatient(
    () => quick.recordEnd.executeWithOptions(options, [record]),
    () => CancellationScope.nonCancellable(() => patient.recordEnd.executeWithOptions(options, [record])),
  );
  if (earlier !== null) throw endedEarlier(earlier);
}

/** How an onboarding ends, before its undo. */
export interface Ending {
  readonly badEnd: NonNullable<Onboarding['badEnd']>;
  /** Null for a cancellation. */
  readonly failure: OnboardingFailure | null;
}

/**
 * Records how an onboarding ends before its undo, which may wait a day for the provider. Learns what a Workflow Task created that was
 * lost. Never a Local Activity: a repeated Workflow Task could come to another end than the one that the backend was notified of.
 *
 * @throws ApplicationFailure ONBOARDING_ENDED if the onboarding has already ended in another run
 */
export async function recordUndo(run: OnboardingRun, { failure }: Ending): Promise<void> {
  const { input, onboarding } = run;
  const record = { ...stepInputOf(run), ...startOf(), onboarding, failure };
  const summary = `Record how the onboarding of ${input.tenantId} ends, before its undo`;
  const { earlier, ...recorded } = await patient.recordUndo.executeWithOptions({ summary }, [record]);
  if (earlier !== null) throw endedEarlier(earlier);
  Object.assign(onboarding, idsAfterWaitOf(onboarding, recorded));
}

function endedEarlier({ message, ...details }: NonNullable<Awaited<ReturnType<Activities['recordEnd']>>>) {
  return expectedFailure({ type: ONBOARDING_ENDED, nonRetryable: true, message, details: [details] });
}
