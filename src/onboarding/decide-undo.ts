import { type BadEnd, failures } from './failures.ts';
import { UndoScope } from './input.ts';
import { type Stage, stagesAfterWait } from './stage.ts';
import { type CreatedIds, type StepName, type StepRow, stepRows, type UndoableRow } from './steps.ts';

/** The facts that decide the undo of an onboarding. */
export interface UndoCase {
  readonly end: BadEnd;
  readonly scope: UndoScope;
  /** The steps that began, and whether each found an existing resource, which only `undo: 'everything'` deletes. */
  readonly begun: ReadonlyMap<StepName, { readonly adopted: boolean }>;
  readonly cutOffIn: Stage | undefined;
  /** See `mayHaveRun`. */
  readonly unanswered: readonly StepName[];
  /** Whether the provider answered the first email with a success that cannot be read. */
  readonly isEmailUnread: boolean;
  readonly ids: Readonly<CreatedIds>;
}

export interface UndoDecision {
  readonly row: StepRow;
  readonly resourceId: string | null;
  /** Else it is kept. */
  readonly isUndone: boolean;
  readonly reason: string;
  /** Only a lost Workflow Task may have run it, so it is reported only if its undo finds it. */
  readonly onlyIfFound: boolean;
}

/** Whether each resource is undone or kept, newest step first. */
export function decideUndo(known: UndoCase): UndoDecision[] {
  const { begun, cutOffIn, unanswered, isEmailUnread, ids } = known;
  return stepRows.toReversed().flatMap((row): UndoDecision[] => {
    const resourceId = ids[row.id];
    const isUnanswered = unanswered.includes(row.step);
    const onlyIfFound = resourceId === null && stagesAfterWait.includes(row.stage) && row.stage !== cutOffIn;
    const decided = (isUndone: boolean, reason: string) => [{ row, resourceId, isUndone, reason, onlyIfFound }];
    if (!('undoneBy' in row)) {
      if (resourceId !== null) return decided(false, row.keptBecause.created);
      if (isEmailUnread) return decided(false, row.keptBecause.unread);
      return isUnanswered ? decided(false, row.keptBecause.unanswered) : [];
    }
    if (!begun.has(row.step) && !isUnanswered) return [];
    const { isUndone, reason } = decision(row, known);
    if (isUndone || resourceId !== null) return decided(isUndone, reason);
    if (!isUnanswered || onlyIfFound) return [];
    return decided(false, "the provider's response was lost, so the resource may exist");
  });
}

function decision(row: UndoableRow, known: UndoCase): Pick<UndoDecision, 'isUndone' | 'reason'> {
  const { end, scope, begun } = known;
  const accepted = known.isEmailUnread || isEmailAccepted(known);
  if (scope === UndoScope.everything && !(accepted && end === 'Cancelled'))
    return { isUndone: true, reason: 'the input says undo: everything' };
  if (scope === UndoScope.nothing) return { isUndone: false, reason: 'the input says undo: nothing' };
  if (begun.get(row.step)?.adopted === true) return { isUndone: false, reason: 'existed before this onboarding' };
  if (accepted) return { isUndone: false, reason: 'kept because the first email was accepted' };
  const keeps = end === 'Cancelled' ? 'nothing' : failures[end].keeps;
  const isUndone = keeps === 'nothing' || (keeps === 'domain' && !('keptWithDomain' in row));
  return { isUndone, reason: isUndone ? `undone after ${end}` : `kept after ${end}` };
}

/**
 * Whether the provider has accepted the first email, or may have: then everything works, whatever it answers later. A cancellation finds
 * that email under delivery, which needs what was created, and cannot wait for an answer that was lost. False for ends that keep
 * everything without it.
 */
export function isEmailAccepted({ end, ids, unanswered }: Pick<UndoCase, 'end' | 'ids' | 'unanswered'>): boolean {
  const isAccepted = ids.emailId !== null;
  if (end === 'Cancelled') return isAccepted || unanswered.includes('sendFirstEmail');
  return isAccepted && failures[end].keeps !== 'everything';
}
