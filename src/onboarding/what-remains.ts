import { cutOffIn, mayHaveRun } from './may-have-run.ts';
import type { Onboarding } from './onboarding.ts';
import { Stage, stagesAfterWait } from './stage.ts';
import { rowOf, type StepName, stepRows } from './steps.ts';

/** Something left at the provider. */
export interface RemainingResource {
  step: StepName;
  /** Null if the provider's response was lost: the resource may exist. */
  resourceId: string | null;
}

/**
 * The resources that a failed, cancelled or terminated onboarding left at the provider, oldest first: what its undo kept, could not delete, or has
 * not reported yet. A termination undoes nothing.
 */
export function whatRemains(onboarding: Onboarding): RemainingResource[] {
  const lastStage =
    onboarding.stage === Stage.undoing
      ? cutOffIn(onboarding, onboarding.badEnd?.type ?? 'Cancelled')
      : onboarding.stage;
  const mayExist = lastStage === undefined ? [] : mayHaveRun(lastStage, onboarding);
  // A record knows what was created after the wait.
  const unanswered = mayExist.filter((step) => {
    const { stage } = rowOf(step);
    return stage === lastStage || !stagesAfterWait.includes(stage);
  });
  return stepRows.flatMap(({ step, id }) => {
    const resourceId = onboarding[id];
    // Two of the key, if sendoff has one of its own.
    const undone = onboarding.undo.filter((entry) => entry.step === step);
    if (undone.length > 0)
      return undone.flatMap((entry) => (entry.result === 'undone' ? [] : [{ step, resourceId: entry.resourceId }]));
    if (step === 'issueApiKey' && onboarding.ownKeyId !== undefined)
      return [resourceId, onboarding.ownKeyId].map((one) => ({ step, resourceId: one }));
    return resourceId !== null || unanswered.includes(step) ? [{ step, resourceId }] : [];
  });
}
