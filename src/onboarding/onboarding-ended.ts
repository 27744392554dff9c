import type { OnboardingFailure } from './failures.ts';
import type { Onboarding } from './onboarding.ts';
import type { OnboardingRecord, OnboardTenantResult } from './onboarding-record.ts';
import { startAgain } from './start-again.ts';

/** Failure type of a run whose onboarding has ended: in another run, after a reset or a later start, or in a lost Workflow Task of this one. */
export const ONBOARDING_ENDED = 'OnboardingEnded';

export interface OnboardingEnded {
  /** Set if the onboarding succeeded: a run that was reset, or whose last Workflow Task was lost, returns the same. */
  readonly result: OnboardTenantResult | null;
  /** Set if this run itself recorded its failure, in a Workflow Task that was lost. */
  readonly recordedFailure?: OnboardingFailure;
  /** As it ended, for a run that ends in the same way. */
  readonly onboarding?: Onboarding;
}

/** Why a run must not continue, according to the record. */
export function onboardingEnded(
  { tenantId, attemptId: recordedId, runId: recordedRun, outcome, failure, result, onboarding }: OnboardingRecord,
  { attemptId, runId }: { readonly attemptId: string; readonly runId: string },
): { message: string; details: OnboardingEnded } {
  const again = startAgain(tenantId);
  if (recordedId !== attemptId) {
    const message = `A later onboarding of ${tenantId} replaced this one, so this run changed nothing. See sendoff status ${tenantId}`;
    return { message, details: { result: null } };
  }
  const how = failure === null ? outcome : `${outcome}: ${failure.type}`;
  const hasEnded = outcome === 'onboarded' || outcome === 'failed';
  if (recordedRun === runId && hasEnded) {
    return {
      message: `The onboarding of ${tenantId} has already ended (${how}): its last Workflow Task recorded the end and was lost, and its repetition ends in the same way`,
      details: { result, ...(failure !== null && { recordedFailure: failure }), onboarding },
    };
  }
  switch (outcome) {
    case 'onboarded':
      return { message: `${tenantId} is already onboarded; a reset changes nothing`, details: { result, onboarding } };
    case 'failed':
    case 'cancelled':
      return {
        message: `The onboarding of ${tenantId} has already ended (${how}) and its undo is done, so a reset cannot continue it. ${again}`,
        details: { result: null },
      };
    case 'running':
    case 'terminated':
      return {
        message: `The onboarding of ${tenantId} had begun its undo when it was reset, so it cannot continue. sendoff status ${tenantId} lists what remains. ${again}`,
        details: { result: null },
      };
  }
}
