import { type StepName, type StepRow, steps, type UndoableRow } from './steps.ts';

export const stepRows: readonly StepRow[] = steps.filter((row) => 'step' in row);

export const undoableRows: readonly UndoableRow[] = stepRows.filter((row) => 'undo' in row);

const byName = new Map<StepName, StepRow>(stepRows.map((row) => [row.step, row]));

export function rowOf<Name extends StepName>(step: Name): Extract<StepRow, { step: Name }> {
  return byName.get(step) as Extract<StepRow, { step: Name }>;
}
