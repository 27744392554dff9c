import { CancellationScope, patched, proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import type { UndoInput, Undone } from '../activities/step-input.ts';
import type { BadEnd, UndoableStep, UndoneStep } from '../onboarding/failures.ts';
import { mayHaveRun } from '../onboarding/may-have-run.ts';
import { undoDecision } from '../onboarding/undo-table.ts';
import { type OnboardTenantInput, UndoScope } from '../onboarding/input.ts';
import { createdIds } from '../onboarding/onboarding.ts';
import { Stage } from '../onboarding/stage.ts';
import { undoOptions } from './activity-options.ts';
import { type OnboardingRun, showDetails, stepInputOf } from './onboarding-run.ts';

const activities = proxyActivities<Activities>(undoOptions);

type Compensation = (undo: UndoInput, input: OnboardTenantInput) => Promise<Undone>;

const compensations: Record<UndoableStep, Compensation> = {
  issueApiKey: (undo, { tenantId }) =>
    activities.revokeApiKey.executeWithOptions({ summary: `Revoke the API key of ${tenantId}` }, [undo]),
  registerWebhook: (undo, { tenantId }) =>
    activities.deleteWebhook.executeWithOptions({ summary: `Delete the webhook of ${tenantId}` }, [undo]),
  registerDomain: (undo, { domain }) =>
    activities.deleteDomain.executeWithOptions({ summary: `Delete the domain ${domain}` }, [{ ...undo, domain }]),
  createSender: (undo, { fromAddress }) =>
    activities.deleteSender.executeWithOptions({ summary: `Delete the sender ${fromAddress}` }, [
      { ...undo, fromAddress },
    ]),
};

/** Called before the step runs, so that a step whose answer was lost is undone too. */
export function registerCompensation({ stepsToUndo }: OnboardingRun, step: UndoableStep): void {
  if (!stepsToUndo.includes(step)) stepsToUndo.push(step);
}

/**
 * Undoes the steps, newest first; not cancellable. A failed undo is reported and the next still runs. `onboarding.undo`
 * grows with each, so that operators can follow an undo through an outage.
 */
export async function undo(run: OnboardingRun, end: BadEnd): Promise<void> {
  const { onboarding } = run;
  const report = (undone: UndoneStep): void => {
    onboarding.undo.push(undone);
    showDetails(onboarding);
  };
  // At these ends, the step of the stage before `undoing` may have run without an answer.
  const cutOffIn = end === 'ProviderUnavailable' || end === 'Cancelled' ? onboarding.stages.at(-2)?.stage : undefined;
  const unanswered = cutOffIn === undefined ? [] : mayHaveRun(cutOffIn, run.looksFirst);
  for (const step of unanswered) registerCompensation(run, step);
  const isProviders = end === 'ProviderRejected' || end === 'ProviderUnavailable';
  // Earlier versions undid more; the patch keeps their histories replaying.
  const accepted = isProviders && onboarding.emailId !== null && patched('keep-after-acceptance');
  await CancellationScope.nonCancellable(async () => {
    for (const step of run.stepsToUndo.toReversed()) {
      const decision = undoDecision(step, {
        end,
        scope: run.input.undo ?? UndoScope.byExit,
        adopted: run.adopted.has(step),
        accepted,
      });
      const known = createdIds(onboarding)[step];
      // Only a lost Workflow Task may have run it, so it is reported only if it is found.
      const isBehindWait = known === null && step === 'createSender' && cutOffIn !== Stage.creatingSender;
      if (!decision.undo) {
        if (known !== null) report({ step, resourceId: known, result: 'kept', reason: decision.reason });
        else if (unanswered.includes(step) && !isBehindWait) {
          const reason = "the provider's response was lost, so the resource may exist";
          report({ step, resourceId: null, result: 'kept', reason });
        }
        continue;
      }
      try {
        const undone = await compensations[step]({ ...stepInputOf(run), resourceId: known }, run.input);
        if (undone.resourceId === null && isBehindWait) continue;
        const reason = undone.resourceId === null ? 'nothing had been created' : decision.reason;
        report({ step, resourceId: undone.resourceId, result: 'undone', reason });
      } catch (error) {
        report({ step, resourceId: known, result: 'failed', reason: reasonOf(error) });
      }
    }
  });
}

/** The innermost message: the ActivityFailure around it says only that an Activity failed. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return error.cause instanceof Error ? reasonOf(error.cause) : error.message;
}
