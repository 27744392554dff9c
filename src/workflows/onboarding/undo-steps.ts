import { CancellationScope, proxyActivities, upsertSearchAttributes } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import type { UndoInput, Undone } from '../../activities/onboarding/step-input.ts';
import type { UndoneStep } from '../../onboarding/failures.ts';
import { decideUndo, type UndoDecision } from '../../onboarding/decide-undo.ts';
import { UndoScope } from '../../onboarding/input.ts';
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
  const unanswered = (cutOffIn === undefined ? [] : mayHaveRun(cutOffIn)).filter(
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
  let deletesNothing = false;
  for (const { row, resourceId: known, isUndone, reason, onlyIfFound } of decisions) {
    const report = (
      resourceId: string | null,
      result: UndoneStep['result'],
      why: string,
      { givenUp = false } = {},
    ): void => {
      onboarding.undo.push({ step: row.step, resourceId, result, reason: why, ...(givenUp && { givenUp }) });
      showDetails(onboarding);
    };
    const reportOwnKey = (keyId: string, result: UndoneStep['result'], why: string): void => {
      report(keyId, result, `sendoff's own key: ${why}`);
    };
    const reportBoth = (result: UndoneStep['result'], why: string): void => {
      report(known, result, why);
      const { ownKeyId } = onboarding;
      if (row.step === 'issueApiKey' && ownKeyId !== undefined) reportOwnKey(ownKeyId, result, why);
    };
    if (!isUndone || !('undoneBy' in row)) {
      reportBoth('kept', reason);
      continue;
    }
    try {
      const input = { ...stepInputOf(run), resourceId: known, ...(deletesNothing && { deletesNothing }) };
      const ownInput = 'input' in row ? row.input(onboarding) : {};
      const options = { summary: row.undoSummary(onboarding), ...requestsOfStep(run, row.step) };
      const { resourceId, kept, own } = await activities[row.undoneBy].executeWithOptions(options, [
        { ...input, ...ownInput },
      ]);
      if (resourceId === null && onlyIfFound) continue;
      deletesNothing ||= kept !== undefined && resourceId !== null;
      const how = kept ?? (resourceId === null ? 'nothing had been created' : reason);
      report(resourceId, kept === undefined ? 'undone' : 'kept', how, { givenUp: kept !== undefined });
      if (own !== undefined)
        reportOwnKey(own.resourceId, own.kept === undefined ? 'undone' : 'kept', own.kept ?? reason);
    } catch (error) {
      reportBoth('failed', reasonOf(error));
    }
  }
}

/** The innermost message: the ActivityFailure around it says only that an Activity failed. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return error.cause instanceof Error ? reasonOf(error.cause) : error.message;
}
