import { setCurrentDetails, upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import type { StepInput } from '../../activities/onboarding/step-input.ts';
import type { FailureBeforeUndo } from '../../onboarding/failures.ts';
import { currentDetails } from '../../onboarding/current-details.ts';
import { findingCodes } from '../../onboarding/attention.ts';
import type { DnsRecord } from '../../onboarding/dns-record.ts';
import { durationMs } from '../../lib/duration.ts';
import { type OnboardTenantInput, VERIFICATION_WINDOW_DEFAULT } from '../../onboarding/input.ts';
import { newOnboarding, type Onboarding } from '../../onboarding/onboarding.ts';
import { endStages, Stage, stagesAfterWait } from '../../onboarding/stage.ts';
import type { StepName } from '../../onboarding/steps.ts';
import { deadlineKey, findingKey, stageKey } from '../search-attributes.ts';

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
  /** Received since the start. */
  webhooks: number;
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
    onboarding: newOnboarding(input),
    begun: new Map(),
    isEmailNotSent: false,
    isEmailUnread: false,
    verificationDeadline: 0,
    registeredAt: 0,
    verifiedAfterMs: 0,
    polls: 0,
    webhooks: 0,
    shownCause: '',
    causeChangesLeft: CAUSE_CHANGES_MAX,
  };
}

export const stepInputOf = ({ input: { tenantId }, attemptId, onboarding }: OnboardingRun): StepInput => ({
  tenantId,
  attemptId,
  stagesEntered: onboarding.stages.length,
});

/** An expected failure; `failWith` undoes and reports it. */
export class OnboardingFailed extends Error {
  override readonly name = 'OnboardingFailed';
  readonly failure: FailureBeforeUndo;
  constructor(failure: FailureBeforeUndo) {
    super(failure.message);
    this.failure = failure;
  }
}

/** Only stages that operators filter by are searchable: each Search Attribute update costs a history event. A wait is once it begins. */
export function enterStage(run: OnboardingRun, stage: Stage): void {
  const { onboarding } = run;
  onboarding.stage = stage;
  onboarding.stages.push({ stage, at: new Date().toISOString() });
  if (endStages.includes(stage)) listStage(run);
  showDetails(onboarding);
}

/**
 * The check of a wait, for a webhook that has arrived since the last one. After an Update there is none: its caller waits for the end of
 * the Workflow Task, which would contain the check and the steps that follow.
 */
export function afterWebhook<Found>(
  run: OnboardingRun,
  check: () => Promise<Found | undefined>,
): () => Promise<Found | undefined> {
  let seen = run.webhooks;
  return async () => {
    if (run.webhooks === seen) return undefined;
    seen = run.webhooks;
    return check();
  };
}

/** Called before the patient attempt of a step, which may last a day. The steps before the domain wait stay listed as `issuingKey`. */
export function listStep(run: OnboardingRun): void {
  if (stagesAfterWait.includes(run.onboarding.stage)) listStage(run);
}

export function showRecordedEnd(run: OnboardingRun, recorded: Onboarding | undefined): void {
  Object.assign(run.onboarding, recorded);
  listStage(run);
  showDetails(run.onboarding);
}

/** Called for a wait after its first check has not found its end. */
export function listStage(run: OnboardingRun): void {
  const { stage } = run.onboarding;
  run.shownCause = '';
  upsertSearchAttributes([
    { key: stageKey, value: stage },
    { key: deadlineKey, value: stage === Stage.awaitingDomain ? new Date(run.verificationDeadline) : null },
    { key: findingKey, value: null },
  ]);
}

/**
 * Shows the mistakes that a check found, and lists them as a Search Attribute if their cause changed. A cause that flaps
 * is listed five times at most; Current Details and the register show every one.
 *
 * @param cause as the Activity reported it, so that a later rule of `attentionOf` replays; undefined: not listed
 */
export function showCheck(run: OnboardingRun, { records, cause }: { records: DnsRecord[]; cause?: string }): void {
  const { onboarding } = run;
  onboarding.records = records;
  if (cause !== undefined && cause !== run.shownCause && run.causeChangesLeft > 0) {
    run.shownCause = cause;
    run.causeChangesLeft -= 1;
    const codes = findingCodes(records);
    upsertSearchAttributes([{ key: findingKey, value: codes.length === 0 ? null : codes }]);
  }
  showDetails(onboarding);
}

/** Costs no history event: the Temporal UI queries it. */
export function showDetails(onboarding: Onboarding): void {
  setCurrentDetails(currentDetails(onboarding, workflowInfo().namespace));
}
