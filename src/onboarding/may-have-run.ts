import type { BadEnd } from './failures.ts';
import { goesWithout, type Onboarding } from './onboarding.ts';
import { type Stage, stageBeforeEnd } from './stage.ts';
import { type StepName, steps } from './steps.ts';

/** The stage whose step may have run without an answer, once it is known how the onboarding ends. Undefined if that end is an answer. */
export const cutOffIn = ({ stages }: Pick<Onboarding, 'stages'>, end: BadEnd): Stage | undefined =>
  end === 'ProviderUnavailable' || end === 'Cancelled' ? stageBeforeEnd(stages) : undefined;

/**
 * The steps that may have run without an answer when an onboarding ends in this stage, oldest first: a lost Workflow Task may have run
 * the step of the stage and all that follow, also beyond the domain wait. What cannot be undone is one of them only in its own stage.
 */
export function mayHaveRun(cutOffIn: Stage, onboarding: Pick<Onboarding, 'withoutSteps'> = {}): StepName[] {
  const first = steps.findIndex(({ stage }) => stage === cutOffIn);
  if (first < 0) return [];
  return steps
    .slice(first)
    .filter((row) => !goesWithout(onboarding, row))
    .flatMap((row) => ('undoneBy' in row || ('step' in row && row.stage === cutOffIn) ? [row.step] : []));
}
