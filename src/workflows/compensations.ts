import { CancellationScope, patched, proxyActivities } from '@temporalio/workflow';
import type { Activities, Undone } from '../activities/index.ts';
import type { BadEnd, UndoableStep, UndoneStep } from '../onboarding/failures.ts';
import { mayHaveRun } from '../onboarding/may-have-run.ts';
import { undoDecision } from '../onboarding/undo-table.ts';
import { UndoScope } from '../onboarding/input.ts';
import { undoOptions } from './activity-options.ts';
import { type OnboardingRun, showDetails, stepInputOf } from './onboarding-run.ts';

const activities = proxyActivities<Activities>(undoOptions);

export interface Compensation {
  readonly step: UndoableStep;
  /** Null while the step's answer has not arrived. */
  readonly resourceId: () => string | null;
  readonly undo: (resourceId: string | null) => Promise<Undone>;
}

/** Registered before the step it undoes, so that a step whose answer got lost is undone too. */
export function registerCompensation(run: OnboardingRun, step: UndoableStep): void {
  const { onboarding, input } = run;
  const { tenantId, domain, fromAddress } = input;
  const all: Record<UndoableStep, Omit<Compensation, 'step'>> = {
    issueApiKey: {
      resourceId: () => onboarding.keyId,
      undo: (resourceId) =>
        activities.revokeApiKey.executeWithOptions({ summary: `Revoke the API key of ${tenantId}` }, [
          { ...stepInputOf(run), resourceId },
        ]),
    },
    registerWebhook: {
      resourceId: () => onboarding.webhookId,
      undo: (resourceId) =>
        activities.deleteWebhook.executeWithOptions({ summary: `Delete the webhook of ${tenantId}` }, [
          { ...stepInputOf(run), resourceId },
        ]),
    },
    registerDomain: {
      resourceId: () => onboarding.domainId,
      undo: (resourceId) =>
        activities.deleteDomain.executeWithOptions({ summary: `Delete the domain ${domain}` }, [
          { ...stepInputOf(run), domain, resourceId },
        ]),
    },
    createSender: {
      resourceId: () => onboarding.senderId,
      undo: (resourceId) =>
        activities.deleteSender.executeWithOptions({ summary: `Delete the sender ${fromAddress}` }, [
          { ...stepInputOf(run), fromAddress, resourceId },
        ]),
    },
  };
  run.compensations.push({ step, ...all[step] });
}

/**
 * Runs newest first and to its end, whatever is cancelled meanwhile; one that fails is reported and the next still runs.
 * The report grows in `onboarding.undo`, so that an undo that waits out an outage can be followed.
 */
export async function undo(run: OnboardingRun, end: BadEnd): Promise<void> {
  const { onboarding } = run;
  const report = (undone: UndoneStep): void => {
    onboarding.undo.push(undone);
    showDetails(onboarding);
  };
  // The stage before `undoing`: of these ends, the one whose step was cut off without an answer.
  const cutOffIn = end === 'ProviderUnavailable' || end === 'Cancelled' ? onboarding.stages.at(-2)?.stage : undefined;
  const unanswered = cutOffIn === undefined ? [] : mayHaveRun(cutOffIn);
  for (const step of unanswered) {
    if (run.compensations.every((registered) => registered.step !== step)) registerCompensation(run, step);
  }
  const isProviders = end === 'ProviderRejected' || end === 'ProviderUnavailable';
  // Onboardings that an earlier version ended have undone more.
  const accepted = isProviders && onboarding.emailId !== null && patched('keep-after-acceptance');
  await CancellationScope.nonCancellable(async () => {
    for (const { step, resourceId, undo } of run.compensations.toReversed()) {
      const decision = undoDecision(step, {
        end,
        scope: run.input.undo ?? UndoScope.byExit,
        adopted: run.adopted.has(step),
        accepted,
      });
      const known = resourceId();
      if (!decision.undo) {
        if (known !== null) report({ step, resourceId: known, result: 'kept', reason: decision.reason });
        else if (unanswered.includes(step)) {
          const reason = 'its answer never arrived; the provider may hold one';
          report({ step, resourceId: null, result: 'kept', reason });
        }
        continue;
      }
      try {
        const undone = await undo(known);
        const reason = undone.resourceId === null ? 'nothing had been created' : decision.reason;
        report({ step, resourceId: undone.resourceId, result: 'undone', reason });
      } catch (error) {
        report({ step, resourceId: known, result: 'failed', reason: reasonOf(error) });
      }
    }
  });
}

/** The innermost message: that of the ActivityFailure around it only says that an Activity failed. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return error.cause instanceof Error ? reasonOf(error.cause) : error.message;
}
