import { UndoableStep } from './failures.ts';
import { mayHaveRun } from './may-have-run.ts';
import { createdIds, type Onboarding } from './onboarding.ts';

/** Something left at the provider. */
export interface Remaining {
  step: UndoableStep;
  /** Null if the provider's response was lost: the resource may exist. */
  resourceId: string | null;
}

/**
 * What a failed, cancelled or terminated onboarding left at the provider, oldest first: what its undo kept or could not
 * delete. A termination undoes nothing.
 */
export function whatRemains(onboarding: Onboarding): Remaining[] {
  const created = createdIds(onboarding);
  const unanswered = mayHaveRun(onboarding.stage, false);
  return Object.values(UndoableStep).flatMap((step) => {
    const resourceId = created[step];
    const undone = onboarding.undo.find((entry) => entry.step === step);
    if (undone !== undefined) return undone.result === 'undone' ? [] : [{ step, resourceId: undone.resourceId }];
    return resourceId !== null || unanswered.includes(step) ? [{ step, resourceId }] : [];
  });
}
