import { type BadEnd, failures } from './failures.ts';
import { UndoScope } from './input.ts';
import { rowOf } from './step-rows.ts';
import type { UndoableStep } from './steps.ts';

/** A cancellation keeps nothing. */
function undoneAt(end: BadEnd, step: UndoableStep): boolean {
  const keeps = end === 'Cancelled' ? 'nothing' : failures[end].keeps;
  return keeps === 'nothing' || (keeps === 'domain' && !('keptWithDomain' in rowOf(step)));
}

/**
 * @param accepted whether the provider accepted the first email, or may have: then everything works, whatever it answers later. A
 * cancellation finds that email under delivery, which needs what was created
 * @param adopted whether the step found an existing resource, which only `undo: 'everything'` deletes
 */
export function undoDecision(
  step: UndoableStep,
  { end, scope, adopted, accepted }: { end: BadEnd; scope: UndoScope; adopted: boolean; accepted: boolean },
): { undo: boolean; reason: string } {
  const keptForEmail = { undo: false, reason: 'kept because the first email was accepted' };
  if (scope === UndoScope.everything && !(accepted && end === 'Cancelled'))
    return { undo: true, reason: 'the input says undo: everything' };
  if (scope === UndoScope.nothing) return { undo: false, reason: 'the input says undo: nothing' };
  if (adopted) return { undo: false, reason: 'existed before this onboarding' };
  if (accepted) return keptForEmail;
  const undo = undoneAt(end, step);
  return { undo, reason: undo ? `undone after ${end}` : `kept after ${end}` };
}
