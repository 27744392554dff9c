import type { Duration } from '@temporalio/common';
import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import type { StepInput } from '../../activities/onboarding/step-input.ts';
import { goesWithout, keptOf } from '../../onboarding/onboarding.ts';
import { type OwnInput, rowOf, type StepName, type StepRow } from '../../onboarding/steps.ts';
import { patientStepOptions, quickStepOptions } from '../activity-options.ts';
import { mayAskQuickly, type OnboardingRun, patienceOf, requestsOfStep, stepInputOf } from './onboarding-run.ts';
import { enterStage, listStep } from './show-stage.ts';
import { quickThenPatient } from '../quick-then-patient.ts';

type StepInputOf<Name extends StepName> = Parameters<Activities[Name]>[0];
type StepResultOf<Name extends StepName> = Awaited<ReturnType<Activities[Name]>>;
/** Undefined if the onboarding goes without the step, which only one that a patch adds can be. */
type RunResultOf<Name extends StepName> =
  StepResultOf<Name> | (Extract<StepRow, { step: Name }> extends { since: object } ? undefined : never);
type Steps = {
  [Name in StepName]: {
    executeWithOptions(
      options: { summary: string; taskQueue?: string; scheduleToCloseTimeout?: Duration },
      args: [StepInputOf<Name>],
    ): Promise<StepResultOf<Name>>;
  };
};
type OwnInputOf<Name extends StepName> = OwnInput<Extract<StepRow, { step: Name }>>;
/** The input that the table of steps does not supply; `never` if the table supplies a field that the Activity does not take. */
type OtherInput<Name extends StepName> =
  OwnInputOf<Name> extends Partial<StepInputOf<Name>>
    ? Omit<StepInputOf<Name>, keyof StepInput | keyof OwnInputOf<Name>>
    : never;

const quick: Steps = proxyLocalActivities<Activities>(quickStepOptions);
const patient: Steps = proxyActivities<Activities>(patientStepOptions);

/** Enters the step's stage, runs its Activity and keeps what it created. A step without an answer is undone too. */
export async function runStep<Name extends StepName>(
  run: OnboardingRun,
  step: Name,
  otherInput: OtherInput<Name>,
): Promise<RunResultOf<Name>> {
  const { onboarding } = run;
  const row: StepRow = rowOf(step);
  if (goesWithout(onboarding, row)) return undefined as RunResultOf<Name>;
  enterStage(run, row.stage);
  const begun = { adopted: false };
  if ('undoneBy' in row) run.begun.set(row.step, begun);
  const options = { summary: row.summary(onboarding) };
  const ownInput = 'input' in row ? row.input(onboarding) : {};
  const input = { ...stepInputOf(run), ...ownInput, ...otherInput } as StepInputOf<Name>;
  const patiently = () => {
    listStep(run);
    return patient[step].executeWithOptions({ ...options, ...requestsOfStep(run, step), ...patienceOf(run) }, [input]);
  };
  const result = await (mayAskQuickly(run)
    ? quickThenPatient(() => quick[step].executeWithOptions(options, [input]), patiently)
    : patiently());
  Object.assign(onboarding, keptOf(result));
  begun.adopted = 'adopted' in result && result.adopted;
  return result;
}
