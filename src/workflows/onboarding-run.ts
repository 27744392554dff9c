import { setCurrentDetails, upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import type { StepInput } from '../activities/step-input.ts';
import type { OnboardingFailure, UndoableStep } from '../onboarding/failures.ts';
import { currentDetails } from '../onboarding/current-details.ts';
import { durationMs } from '../lib/duration.ts';
import { type OnboardTenantInput, VERIFICATION_WINDOW_DEFAULT } from '../onboarding/input.ts';
import { newOnboarding, type Onboarding } from '../onboarding/onboarding.ts';
import { Stage } from '../onboarding/stage.ts';
import { stageKey } from './search-attributes.ts';

/** The state that the steps of one Workflow Execution share. */
export interface OnboardingRun {
  readonly input: OnboardTenantInput;
  readonly attemptId: string;
  /** Whether the register has a row of this onboarding. */
  isRecorded: boolean;
  readonly verificationWindowMs: number;
  /** Returned by the Query. */
  readonly onboarding: Onboarding;
  /** The steps to undo if the onboarding fails, oldest first. */
  readonly stepsToUndo: UndoableStep[];
  /** Steps that found an existing resource, which this onboarding must not delete. */
  readonly adopted: Set<UndoableStep>;
  /** Milliseconds since the epoch. */
  verificationDeadline: number;
  registeredAt: number;
  verifiedAfterMs: number;
  polls: number;
}

export const newRun = (input: OnboardTenantInput): OnboardingRun => ({
  input,
  // The same after a reset, different after a new start.
  attemptId: workflowInfo().firstExecutionRunId,
  isRecorded: false,
  verificationWindowMs: durationMs(input.verificationWindow ?? VERIFICATION_WINDOW_DEFAULT) ?? 0,
  onboarding: newOnboarding(input),
  stepsToUndo: [],
  adopted: new Set(),
  verificationDeadline: 0,
  registeredAt: 0,
  verifiedAfterMs: 0,
  polls: 0,
});

export const stepInputOf = ({ input: { tenantId }, attemptId, isRecorded }: OnboardingRun): StepInput => ({
  tenantId,
  attemptId,
  isRecorded,
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

/** A failure before its stage, exit and undo report are known. */
export type FailureBeforeUndo = {
  [Type in OnboardingFailure['type']]: {
    type: Type;
    message: string;
    details: Omit<Extract<OnboardingFailure, { type: Type }>['details'], 'stage' | 'exit' | 'undo'>;
  };
}[OnboardingFailure['type']];

/** Only stages that operators filter by: each Search Attribute update costs a history event. */
const searchableStages: readonly Stage[] = [Stage.awaitingDomain, Stage.awaitingDelivery, Stage.undoing, Stage.done];

export function enterStage({ onboarding }: OnboardingRun, stage: Stage): void {
  onboarding.stage = stage;
  onboarding.stages.push({ stage, at: new Date().toISOString() });
  if (searchableStages.includes(stage)) upsertSearchAttributes([{ key: stageKey, value: stage }]);
  showDetails(onboarding);
}

/** Costs no history event: the Temporal UI queries it. */
export function showDetails(onboarding: Onboarding): void {
  setCurrentDetails(currentDetails(onboarding, workflowInfo().namespace));
}
