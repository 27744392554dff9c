import { CancellationScope, patched, proxyActivities, upsertSearchAttributes } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import type { UndoInput, Undone } from '../activities/step-input.ts';
import type { BadEnd, UndoneStep } from '../onboarding/failures.ts';
import { cutOffIn, mayHaveRun } from '../onboarding/may-have-run.ts';
import { undoDecision } from '../onboarding/undo-table.ts';
import { UndoScope } from '../onboarding/input.ts';
import { createdIds } from '../onboarding/onboarding.ts';
import { Stage } from '../onboarding/stage.ts';
import { rowOf } from '../onboarding/step-rows.ts';
import type { UndoableRow, UndoableStep } from '../onboarding/steps.ts';
import { undoOptions } from './activity-options.ts';
import { type OnboardingRun, showDetails, stepInputOf } from './onboarding-run.ts';
import { recordUndo, type Ending } from './record-end.ts';
import { reasonKey } from './search-attributes.ts';

type Undos = Record<
  UndoableRow['undo'],
  { executeWithOptions(options: { summary: string }, args: [UndoInput]): Promise<Undone> }
>;
const activities = proxyActivities<Activities>(undoOptions) as Undos;

function compensate(run: OnboardingRun, step: UndoableStep, undo: UndoInput): Promise<Undone> {
  const row: UndoableRow = rowOf(step);
  const ownInput = 'input' in row ? row.input(run.onboarding) : {};
  const summary = row.undoSummary(run.onboarding);
  return activities[row.undo].executeWithOptions({ summary }, [{ ...undo, ...ownInput }]);
}

/**
 * Undoes the steps, newest first; not cancellable. A failed undo is reported and the next still runs. `onboarding.undo`
 * grows with each, so that operators can follow an undo through an outage.
 */
export async function undo(run: OnboardingRun, ending: Ending): Promise<void> {
  const { onboarding } = run;
  const end = ending.badEnd.type;
  const report = (undone: UndoneStep): void => {
    onboarding.undo.push(undone);
    showDetails(onboarding);
  };
  const lastStage = cutOffIn(onboarding, end);
  const unanswered = lastStage === undefined ? [] : mayHaveRun(lastStage, run.looksFirst);
  for (const step of unanswered) run.stepsToUndo.add(step);
  const decide = (step: UndoableStep, accepted: boolean): ReturnType<typeof undoDecision> =>
    undoDecision(step, {
      end,
      scope: run.input.undo ?? UndoScope.byExit,
      adopted: run.adopted.has(step),
      accepted,
    });
  // An undo in which the provider is asked can last a day. Earlier versions recorded how it ends only then, and after a cancellation
  // they undid what an email under delivery needs; the patch keeps their histories replaying.
  const isRecorded = [...run.stepsToUndo].some((step) => decide(step, false).undo) && patched('record-undo');
  await CancellationScope.nonCancellable(async () => {
    let deletesNothing = false;
    // Earlier versions undid what the email of such an answer needs; the patch keeps their histories replaying.
    const isUnread = run.isEmailUnread && patched('keep-after-unread-email');
    const isAnswerLost = isUnread || (lastStage === Stage.sendingFirstEmail && !run.isEmailNotSent);
    let accepted = isUnread || mayBeAccepted(run, { end, isRecorded, isAnswerLost });
    if (isRecorded && [...run.stepsToUndo].some((step) => decide(step, accepted).undo)) {
      await recordUndo(run, ending);
      if (end === 'Cancelled') upsertSearchAttributes([{ key: reasonKey, value: end }]);
      accepted = isUnread || mayBeAccepted(run, { end, isRecorded, isAnswerLost });
    }
    const email = onboarding.emailId;
    if (email !== null)
      report({
        step: 'sendFirstEmail',
        resourceId: email,
        result: 'kept',
        reason: 'an accepted email cannot be undone',
      });
    else if (isAnswerLost) {
      const reason = isUnread
        ? "the provider's response cannot be read, so it may have accepted the email"
        : "the provider's response was lost, so it may have accepted the email";
      report({ step: 'sendFirstEmail', resourceId: null, result: 'kept', reason });
    }
    for (const step of [...run.stepsToUndo].toReversed()) {
      const decision = decide(step, accepted);
      const known = createdIds(onboarding)[step];
      const ownKeyId = step === 'issueApiKey' ? onboarding.ownKeyId : undefined;
      const reportBoth = (entry: UndoneStep): void => {
        report(entry);
        if (ownKeyId !== undefined)
          report({ ...entry, resourceId: ownKeyId, reason: `sendoff's own key: ${entry.reason}` });
      };
      // Only a lost Workflow Task may have run it, so it is reported only if it is found.
      const isBehindWait = known === null && step === 'createSender' && lastStage !== Stage.creatingSender;
      if (!decision.undo) {
        if (known !== null) reportBoth({ step, resourceId: known, result: 'kept', reason: decision.reason });
        else if (unanswered.includes(step) && !isBehindWait) {
          const reason = "the provider's response was lost, so the resource may exist";
          report({ step, resourceId: null, result: 'kept', reason });
        }
        continue;
      }
      try {
        const undoInput = { ...stepInputOf(run), resourceId: known, ...(deletesNothing && { deletesNothing }) };
        const { resourceId, kept, own } = await compensate(run, step, undoInput);
        if (resourceId === null && isBehindWait) continue;
        deletesNothing ||= kept !== undefined && resourceId !== null;
        const reason = kept ?? (resourceId === null ? 'nothing had been created' : decision.reason);
        report({ step, resourceId, result: kept === undefined ? 'undone' : 'kept', reason });
        if (own !== undefined)
          report({
            ...{ step, resourceId: own.resourceId, result: own.kept === undefined ? 'undone' : 'kept' },
            reason: `sendoff's own key: ${own.kept ?? decision.reason}`,
          });
      } catch (error) {
        reportBoth({ step, resourceId: known, result: 'failed', reason: reasonOf(error) });
      }
    }
  });
}

/** Whether the provider has accepted the first email, or may have: a cancellation cannot wait for an answer that was lost. */
function mayBeAccepted(
  { onboarding }: OnboardingRun,
  { end, isRecorded, isAnswerLost }: { end: BadEnd; isRecorded: boolean; isAnswerLost: boolean },
): boolean {
  const isAccepted = onboarding.emailId !== null;
  if (end === 'Cancelled') return isRecorded && (isAccepted || isAnswerLost);
  const isProviders = end === 'ProviderRejected' || end === 'ProviderUnavailable';
  // Earlier versions undid more; the patch keeps their histories replaying.
  return isProviders && isAccepted && (isRecorded || patched('keep-after-acceptance'));
}

/** The innermost message: the ActivityFailure around it says only that an Activity failed. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return error.cause instanceof Error ? reasonOf(error.cause) : error.message;
}
