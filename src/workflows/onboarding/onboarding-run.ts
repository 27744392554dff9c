import type { Duration } from '@temporalio/common';
import { patched, workflowInfo } from '@temporalio/workflow';
import type { StepInput } from '../../activities/onboarding/step-input.ts';
import type { DomainReport } from '../../onboarding/domain-report.ts';
import { durationMs } from '../../lib/duration.ts';
import { type OnboardTenantInput, VERIFICATION_WINDOW_DEFAULT } from '../../onboarding/input.ts';
import { newOnboarding, type Onboarding } from '../../onboarding/onboarding.ts';
import { addedSteps, asksNothing, type StepName } from '../../onboarding/steps.ts';
import { ACCOUNT_PATIENCE_DAYS } from '../../onboarding/time-limits.ts';
import { providerTaskQueue } from '../messages.ts';

/** The state that the steps of one Workflow Execution share. */
export interface OnboardingRun {
  readonly input: OnboardTenantInput;
  readonly attemptId: string;
  readonly verificationWindowMs: number;
  /** Returned by the Query. */
  readonly onboarding: Onboarding;
  /** The steps to undo if the onboarding fails, and whether each found an existing resource, which this onboarding must not delete. */
  readonly begun: Map<StepName, { adopted: boolean }>;
  /** Whether a cancellation came before the first email: no answer to it was lost. */
  isEmailNotSent: boolean;
  /** Whether the provider answered the first email with a success that cannot be read: it may have accepted it. */
  isEmailUnread: boolean;
  /** Milliseconds since the epoch. */
  verificationDeadline: number;
  registeredAt: number;
  verifiedAfterMs: number;
  polls: number;
  /** As a caller's check has found the domain since the wait for it began; undefined unless verified. */
  verified: DomainReport | undefined;
  /** The cause of the mistakes that the Search Attributes show; empty for none. */
  shownCause: string;
  causeChangesLeft: number;
}

/** Per run: each change costs seven history events. */
const CAUSE_CHANGES_MAX = 5;

export function newRun(input: OnboardTenantInput): OnboardingRun {
  return {
    input,
    // The same after a reset, different after a new start.
    attemptId: workflowInfo().firstExecutionRunId,
    verificationWindowMs: durationMs(input.verificationWindow ?? VERIFICATION_WINDOW_DEFAULT) ?? 0,
    onboarding: { ...newOnboarding(input), ...withoutSteps() },
    begun: new Map(),
    isEmailNotSent: false,
    isEmailUnread: false,
    verificationDeadline: 0,
    registeredAt: 0,
    verifiedAfterMs: 0,
    polls: 0,
    verified: undefined,
    shownCause: '',
    causeChangesLeft: CAUSE_CHANGES_MAX,
  };
}

/** At the beginning of a run, so that its stages, its undo and its record never differ about a step. */
function withoutSteps(): Pick<Onboarding, 'withoutSteps'> {
  const without = addedSteps().filter(({ since }) => !patched(since.patch));
  return without.length === 0 ? {} : { withoutSteps: without.map(({ step }) => step) };
}

export const stepInputOf = ({ input: { tenantId, provider }, attemptId, onboarding }: OnboardingRun): StepInput => ({
  tenantId,
  attemptId,
  stagesEntered: onboarding.stages.length,
  startedAt: workflowInfo().startTime.toISOString(),
  ...(provider !== undefined && { provider }),
  ...(onboarding.withoutSteps && { withoutSteps: onboarding.withoutSteps }),
});

/**
 * Where the requests of an onboarding to its provider are made. Those to an operator's account have a Task Queue with the account's rate, which a
 * Local Activity would escape.
 *
 * @param otherwise for a provider at which each tenant has an account; undefined: the Workflow's own Task Queue
 */
export function requestsOf({ input: { provider } }: OnboardingRun, otherwise?: string): { taskQueue?: string } {
  if (provider !== undefined) return { taskQueue: providerTaskQueue(workflowInfo().taskQueue, provider) };
  return otherwise === undefined ? {} : { taskQueue: otherwise };
}

/** Where a step or its undo asks the provider. */
export const requestsOfStep = (run: OnboardingRun, step: StepName): { taskQueue?: string } =>
  asksNothing(run.input.provider, step) ? {} : requestsOf(run);

/** How long a step waits for the provider, if not for a day. */
export const patienceOf = ({ input: { provider } }: OnboardingRun): { scheduleToCloseTimeout?: Duration } =>
  provider === undefined ? {} : { scheduleToCloseTimeout: `${ACCOUNT_PATIENCE_DAYS} days` };

/** Whether the provider may be asked in a Local Activity. */
export const mayAskQuickly = ({ input }: OnboardingRun): boolean => input.provider === undefined;
