import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { patientStepOptions, quickStepOptions } from './activity-options.ts';
import { quickThenPatient } from './quick-then-patient.ts';

const quick = proxyLocalActivities<Activities>(quickStepOptions);
const patient = proxyActivities<Activities>(patientStepOptions);

type StepName = 'issueApiKey' | 'registerWebhook' | 'registerDomain' | 'createSender' | 'sendFirstEmail';
type StepInputOf<Name extends StepName> = Parameters<Activities[Name]>[0];
type StepResultOf<Name extends StepName> = Awaited<ReturnType<Activities[Name]>>;

/**
 * The one place that decides how a step is executed.
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
  return quickThenPatient(
    () => run(quick),
    () => run(patient),
  );
}

interface SummarizedActivity<Name extends StepName> {
  executeWithOptions(options: { summary: string }, args: [StepInputOf<Name>]): Promise<StepResultOf<Name>>;
}
