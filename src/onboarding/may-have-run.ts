import type { BadEnd } from './failures.ts';
import type { Onboarding } from './onboarding.ts';
import { Stage, stageBeforeEnd } from './stage.ts';
import { type StepName, steps } from './steps.ts';

/** The stage whose step may have run without an answer, once it is known how the onboarding ends. Undefined if that end is an answer. */
export const cutOffIn = ({ stages }: Pick<Onboarding, 'stages'>, end: BadEnd): Stage | undefined =>
  end === 'ProviderUnavailable' || end === 'Cancelled' ? stageBeforeEnd(stages) : undefined;

/**
 * The steps that may have run without an answer when an onboarding ends in this stage, oldest first: a lost Workflow Task may have run
 * the step of the stage and all that follow, up to the domain wait or beyond it. What cannot be undone is one of them only in its own stage.
 *
 * @param looksFirst whether a Workflow Task may pass the domain wait
 */
export function mayHaveRun(cutOffIn: Stage, looksFirst: boolean): StepName[] {
  const first = steps.findIndex(({ stage }) => stage === cutOffIn);
  if (first < 0) return [];
  const rest = steps.slice(first);
  const wait = rest.findIndex(({ stage }) => stage === Stage.awaitingDomain);
  const mayHaveBegun = looksFirst || wait < 0 ? rest : rest.slice(0, wait);
  return mayHaveBegun.flatMap((row) => ('undo' in row || ('step' in row && row.stage === cutOffIn) ? [row.step] : []));
}
