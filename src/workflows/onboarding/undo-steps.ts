import { CancellationScope, proxyActivities, upsertSearchAttributes } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import type { UndoInput, Undone } from '../../activities/onboarding/step-input.ts';
import type { UndoneStep } from '../../onboarding/failures.ts';
import { decideUndo, type UndoDecision } from '../../onboarding/decide-undo.ts';
import { UndoScope } from '../../onboarding/input.ts';
import type { Onboarding } from '../../onboarding/onboarding.ts';
import { cutOffIn as stageOfCut, mayHaveRun } from '../../onboarding/may-have-run.ts';
import { Stage } from '../../onboarding/stage.ts';
import type { UndoableRow } from '../../onboarding/steps.ts';
import { undoOptions } from '../activity-options.ts';
import { type OnboardingRun, requestsOfStep, stepInputOf } from './onboarding-run.ts';
import { enterStage, showDetails } from './show-stage.ts';
import { recordUndo, type Ending } from './record-end.ts';
import { reasonKey } from '../search-attributes.ts';

/** Their own types are checked against the table of steps in `createActivities`. */
const activities = proxyActivities<Activities>(undoOptions) as Record<
  UndoableRow['undoneBy'],
  { executeWithOptions(options: { summary: string; taskQueue?: string }, args: [UndoInput]): Promise<Undone> }
>;

/** Decides what is undone, records how the onboarding ends, then undoes. Not cancellable. */
export async function undoSteps(run: OnboardingRun, ending: Ending): Promise<void> {
  const { onboarding, begun } = run;
  enterStage(run, Stage.undoing);
  const end = ending.badEnd.type;
  const cutOffIn = stageOfCut(onboarding, end);
  const unanswered = (cutOffIn === undefined ? [] : mayHaveRun(cutOffIn, onboarding)).filter(
    (step) => !(step === 'sendFirstEmail' && run.isEmailNotSent),
  );
  const { isEmailUnread } = run;
  const scope = run.input.undo ?? UndoScope.byExit;
  const decide = (): UndoDecision[] =>
    decideUndo({ end, scope, begun, cutOffIn, unanswered, isEmailUnread, ids: onboarding });
  await CancellationScope.nonCancellable(async () => {
    // An undo in which the provider is asked can last a day.
    if (decide().some(({ isUndone }) => isUndone)) {
      await recordUndo(run, ending);
      if (end === 'Cancelled') upsertSearchAttributes([{ key: reasonKey, value: end }]);
    }
    // Again, with what the record knows of a Workflow Task that was lost.
    await perform(run, decide());
  });
  enterStage(run, Stage.done);
}

/** An Activity that fails is reported and the next still runs. The report grows with each, so that operators can follow an outage. */
async function perform(run: OnboardingRun, decisions: readonly UndoDecision[]): Promise<void> {
  const { onboarding } = run;
  const report = (entries: readonly UndoneStep[]): void => {
    onboarding.undo.push(...entries);
    showDetails(onboarding);
  };
  let deletesNothing = false;
  for (const decision of decisions) {
    const { row, resourceId, isUndone, reason, onlyIfFound } = decision;
    if (!isUndone || !('undoneBy' in row)) {
      report(sameForBothKeys(onboarding, decision, 'kept', reason));
      continue;
    }
    try {
      const input = { ...stepInputOf(run), resourceId, ...(deletesNothing && { deletesNothing }) };
      const ownInput = 'input' in row ? row.input(onboarding) : {};
      const options = { summary: row.undoSummary(onboarding), ...requestsOfStep(run, row.step) };
      const undone = await activities[row.undoneBy].executeWithOptions(options, [{ ...input, ...ownInput }]);
      if (undone.resourceId === null && onlyIfFound) continue;
      deletesNothing ||= undone.kept !== undefined && undone.resourceId !== null;
      report(asAnswered(decision, undone));
    } catch (error) {
      report(sameForBothKeys(onboarding, decision, 'failed', reasonOf(error)));
    }
  }
}

function asAnswered({ row: { step }, reason }: UndoDecision, { resourceId, kept, own }: Undone): UndoneStep[] {
  const entry: UndoneStep =
    kept === undefined
      ? { step, resourceId, result: 'undone', reason: resourceId === null ? 'nothing had been created' : reason }
      : { step, resourceId, result: 'kept', reason: kept, givenUp: true };
  if (own === undefined) return [entry];
  return [entry, ofOwnKey(own.resourceId, own.kept === undefined ? 'undone' : 'kept', own.kept ?? reason)];
}

/** The entry of a step, and for that of the tenant's key the same for sendoff's own, if it has one. */
function sameForBothKeys(
  { ownKeyId }: Onboarding,
  { row: { step }, resourceId }: UndoDecision,
  result: UndoneStep['result'],
  reason: string,
): UndoneStep[] {
  const entry = { step, resourceId, result, reason };
  return step === 'issueApiKey' && ownKeyId !== undefined ? [entry, ofOwnKey(ownKeyId, result, reason)] : [entry];
}

const ofOwnKey = (resourceId: string, result: UndoneStep['result'], reason: string): UndoneStep => ({
  ...{ step: 'issueApiKey', resourceId, result, reason: `sendoff's own key: ${reason}` },
});

/** The innermost message: the ActivityFailure around it says only that an Activity failed. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return error.cause instanceof Error ? reasonOf(error.cause) : error.message;
}
