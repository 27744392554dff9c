import { Stage } from '../onboarding/stage.ts';
import { stepRows, undoableRows } from '../onboarding/step-rows.ts';
import { type StepName, steps, type UndoableRow } from '../onboarding/steps.ts';

/** The stage that an Activity belongs to, and the one that the onboarding enters with this result of it. */
export interface StageOfActivity {
  readonly stage: Stage;
  readonly stageAfter?: (result: object) => Stage | undefined;
  /** Whether it still runs after its run has ended as onboarded, because a caller waits for its answer. */
  readonly mayOutlastRun?: boolean;
}

/** Of each step, and of its undo. */
export const stagesOfSteps = Object.fromEntries([
  ...stepRows.map((row) => [row.step, stageOf(row.stage)]),
  ...undoableRows.map((row) => [row.undo, { stage: Stage.undoing }]),
]) as Record<StepName | UndoableRow['undo'], StageOfActivity>;

function stageOf(stage: Stage): StageOfActivity {
  const next = steps[steps.findIndex((row) => row.stage === stage) + 1];
  return next === undefined || 'hasDeadline' in next ? { stage } : { stage, stageAfter: () => next.stage };
}
