import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { patientStepOptions, quickStepOptions } from './activity-options.ts';
import { listStep, type OnboardingRun } from './onboarding-run.ts';
import { quickThenPatient } from './quick-then-patient.ts';

type StepName = 'issueApiKey' | 'registerWebhook' | 'registerDomain' | 'createSender' | 'sendFirstEmail';
type StepInputOf<Name extends StepName> = Parameters<Activities[Name]>[0];
type StepResultOf<Name extends StepName> = Awaited<ReturnType<Activities[Name]>>;
type Steps = {
  [Name in StepName]: {
    executeWithOptions(options: { summary: string }, args: [StepInputOf<Name>]): Promise<StepResultOf<Name>>;
  };
};

const quick: Steps = proxyLocalActivities<Activities>(quickStepOptions);
const patient: Steps = proxyActivities<Activities>(patientStepOptions);

/** @param summary shown in the Temporal UI */
export function runStep<Name extends StepName>(
  run: OnboardingRun,
  name: Name,
  input: StepInputOf<Name>,
  summary: string,
): Promise<StepResultOf<Name>> {
  return quickThenPatient(
    () => quick[name].executeWithOptions({ summary }, [input]),
    () => {
      listStep(run);
      return patient[name].executeWithOptions({ summary }, [input]);
    },
  );
}
