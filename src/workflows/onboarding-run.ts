import { setCurrentDetails, upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import type { StepInput } from '../activities/step-input.ts';
import type { OnboardingFailure, UndoableStep } from '../onboarding/failures.ts';
import { currentDetails } from '../onboarding/current-details.ts';
import { durationMs } from '../lib/duration.ts';
import { type OnboardTenantInput, VERIFICATION_WINDOW_DEFAULT } from '../onboarding/input.ts';
import { newOnboarding, type Onboarding } from '../onboarding/onboarding.ts';
import { Stage } from '../onboarding/stage.ts';
import { stageKey } from './search-attributes.ts';

/** What the steps of one Workflow Execution share. */
export interface OnboardingRun {
  readonly input: OnboardTenantInput;
  readonly attemptId: string;
  /** Whether the first step has begun a record of this onboarding. */
  isRecorded: boolean;
  readonly verificationWindowMs: number;
  /** What the Query shows. */
  readonly onboarding: Onboarding;
  /** The steps to undo if the onboarding fails, oldest first. */
  readonly stepsToUndo: UndoableStep[];
  /** Steps that found what an earlier onboarding had made; it is not this one's to delete. */
  readonly adopted: Set<UndoableStep>;
  /** Milliseconds since the epoch. */
  verificationDeadline: number;
  registeredAt: number;
  verifiedAfterMs: number;
  polls: number;
}

export const newRun = (input: OnboardTenantInput): OnboardingRun => ({
  input,
  // A reset keeps the first Run Id, a new start gets another one.
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

/** What every Activity of the onboarding is told. */
export const stepInputOf = ({ input: { tenantId }, attemptId, isRecorded }: OnboardingRun): StepInput => ({
  tenantId,
  attemptId,
  isRecorded,
});

/** A foreseen end, on its way to the one place that undoes and reports. */
export class OnboardingFailed extends Error {
  override readonly name = 'OnboardingFailed';
  readonly failure: FailureBeforeUndo;
  constructor(failure: FailureBeforeUndo) {
    super(failure.message);
    this.failure = failure;
  }
}

/** A failure without what only the end knows: stage, exit and the undo report. */
export type FailureBeforeUndo = {
  [Type in OnboardingFailure['type']]: {
    type: Type;
    message: string;
    details: Omit<Extract<OnboardingFailure, { type: Type }>['details'], 'stage' | 'exit' | 'undo'>;
  };
}[OnboardingFailure['type']];

/** Only what ops wait on or look for costs an event; the others show in the history anyway. */
const searchableStages: readonly Stage[] = [Stage.awaitingDomain, Stage.awaitingDelivery, Stage.undoing, Stage.done];

export function enterStage({ onboarding }: OnboardingRun, stage: Stage): void {
  onboarding.stage = stage;
  onboarding.stages.push({ stage, at: new Date().toISOString() });
  if (searchableStages.includes(stage)) upsertSearchAttributes([{ key: stageKey, value: stage }]);
  showDetails(onboarding);
}

/** Kept in the Workflow's memory and asked for by the UI: no event. */
export function showDetails(onboarding: Onboarding): void {
  setCurrentDetails(currentDetails(onboarding, workflowInfo().namespace));
}
