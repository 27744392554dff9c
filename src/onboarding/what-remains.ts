import { UndoableStep } from './failures.ts';
import { mayHaveRun } from './may-have-run.ts';
import { createdIds, type Onboarding } from './onboarding.ts';

/** Something at the provider that nobody takes back any more. */
export interface Remaining {
  step: UndoableStep;
  /** Null when the onboarding ended before the answer: the provider may hold one or none. */
  resourceId: string | null;
}

/**
 * What an onboarding that has ended badly left at the provider, oldest first: what its undo kept or could not take
 * back, and after a termination, which undoes nothing, everything it had made.
 */
export function whatRemains(onboarding: Onboarding): Remaining[] {
  const created = createdIds(onboarding);
  const unanswered = mayHaveRun(onboarding.stage);
  return Object.values(UndoableStep).flatMap((step) => {
    const resourceId = created[step];
    const undone = onboarding.undo.find((entry) => entry.step === step);
    if (undone !== undefined) return undone.result === 'undone' ? [] : [{ step, resourceId: undone.resourceId }];
    return resourceId !== null || unanswered.includes(step) ? [{ step, resourceId }] : [];
  });
}
