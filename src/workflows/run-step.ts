import {
  ApplicationFailure,
  CancellationScope,
  isCancellation,
  proxyActivities,
  proxyLocalActivities,
  TemporalFailure,
} from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { UndoableStep } from '../onboarding/failures.ts';
import { activityCause } from './activity-cause.ts';
import { patientStepOptions, quickStepOptions } from './activity-options.ts';

const quick = proxyLocalActivities<Activities>(quickStepOptions);
const patient = proxyActivities<Activities>(patientStepOptions);

type StepName = 'issueApiKey' | 'registerWebhook' | 'registerDomain' | 'createSender' | 'sendFirstEmail';
type StepInputOf<Name extends StepName> = Parameters<Activities[Name]>[0];
type StepResultOf<Name extends StepName> = Awaited<ReturnType<Activities[Name]>>;

/**
 * The one place that decides how a step is executed: quickly first, patiently when that did not help.
 *
 * A cancellation does not stop the quick attempts of a step that can be undone. A Workflow Task that was lost with its
 * Worker may have run ahead through several such steps and recorded none of them; only going the same way again, by
 * the same Idempotency-Keys, brings back what there is to undo. The next wait, or patient step, is where it ends.
 *
 * @param summary what ops read in the Temporal UI
 */
export async function runStep<Name extends StepName>(
  name: Name,
  input: StepInputOf<Name>,
  summary: string,
): Promise<StepResultOf<Name>> {
  const run = (activities: typeof quick | typeof patient) => {
    const activity = activities[name] as unknown as SummarizedActivity<Name>;
    return activity.executeWithOptions({ summary }, [input]);
  };
  try {
    return await (name in UndoableStep ? CancellationScope.nonCancellable(() => run(quick)) : run(quick));
  } catch (error) {
    if (!mayHelpToWait(error)) throw error;
  }
  return run(patient);
}

interface SummarizedActivity<Name extends StepName> {
  executeWithOptions(options: { summary: string }, args: [StepInputOf<Name>]): Promise<StepResultOf<Name>>;
}

function mayHelpToWait(error: unknown): boolean {
  // Nothing but the error itself may decide: in a replay the failure of a Local Activity may come before a cancellation
  // that it came after. When the scope is cancelled, the patient attempt ends at once by itself.
  if (isCancellation(error)) return false;
  const cause = activityCause(error);
  return cause instanceof TemporalFailure && !(cause instanceof ApplicationFailure && cause.nonRetryable === true);
}
