import {
  ActivityFailure,
  ApplicationFailure,
  CancelledFailure,
  isCancellation,
  TimeoutFailure,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import {
  type FailureBeforeUndo,
  type FailureDetails,
  failures,
  type FailureType,
  isFailureType,
  type OnboardingFailure,
} from '../../onboarding/failures.ts';
import { EMAIL_NOT_SENT } from '../../onboarding/email-not-sent.ts';
import { inputFaults } from '../../onboarding/input.ts';
import { ONBOARDING_ENDED, type OnboardingEnded } from '../../onboarding/onboarding-ended.ts';
import type { OnboardTenantResult } from '../../onboarding/onboarding-record.ts';
import { firstStage } from '../../onboarding/stage.ts';
import { startAgain } from '../../onboarding/start-again.ts';
import { expectedFailure } from '../../lib/expected-failure.ts';
import { undoSteps } from './undo-steps.ts';
import { OnboardingFailed } from './onboarding-failed.ts';
import type { OnboardingRun } from './onboarding-run.ts';
import { showRecordedEnd } from './show-stage.ts';
import { type Ending, recordEnd } from './record-end.ts';
import { activityCause } from '../quick-then-patient.ts';
import { exitKey, reasonKey } from '../search-attributes.ts';
import { shownFaults } from '../shown-faults.ts';
import { wasCancelled } from '../was-cancelled.ts';

export function refuseInvalid(input: unknown): void {
  const { problems, message } = shownFaults(inputFaults(input));
  const [first] = problems;
  if (first === undefined) return;
  const context = { stage: firstStage, exit: null, undo: [] };
  throw workflowFailure({ type: 'InvalidInput', message, details: { ...first, problems, ...context } });
}

type ThrownType = FailureType | typeof EMAIL_NOT_SENT | typeof ONBOARDING_ENDED;

function failureOf(error: unknown, type: ThrownType): ApplicationFailure | undefined {
  const cause = activityCause(error);
  return cause instanceof ApplicationFailure && cause.type === type ? cause : undefined;
}

/** POST /senders returned 422 domain_not_verified: a retry would not help. */
export const isNotVerified = (error: unknown): boolean => failureOf(error, 'DomainNotVerified') !== undefined;

/** The cancellation came before the first email. */
export const isNotSent = (error: unknown): boolean => failureOf(error, EMAIL_NOT_SENT) !== undefined;

/** The provider answered a creation with a success that cannot be read (`unread`). */
export function isUnread(error: unknown): boolean {
  const rejection = failureOf(error, 'ProviderRejected')?.details?.[0] as
    FailureDetails['ProviderRejected'] | undefined;
  return rejection?.code === 'unreadable';
}

/** Set when the onboarding has ended, in another run or in a Workflow Task that was lost, so that this run must not continue. */
function alreadyEnded(error: unknown): (OnboardingEnded & { failure: ApplicationFailure }) | undefined {
  const failure = failureOf(error, ONBOARDING_ENDED);
  return failure && { failure, ...(failure.details?.[0] as OnboardingEnded) };
}

/**
 * The end of an onboarding that an error has stopped: its failure, or the result that a Workflow Task recorded which was lost. A
 * cancellation may hide that end from the repetition of the Task until its own end is refused.
 */
export async function endAfter(run: OnboardingRun, error: unknown): Promise<OnboardTenantResult> {
  const ended = alreadyEnded(error);
  if (ended?.result != null) {
    showRecordedEnd(run, ended.onboarding);
    return ended.result;
  }
  let failure: unknown;
  try {
    failure = await failWith(run, error);
  } catch (refusal) {
    if (alreadyEnded(refusal) !== undefined) return endAfter(run, refusal);
    throw refusal;
  }
  throw failure;
}

/**
 * Turns an error into the onboarding's outcome: undoes what this end does not keep, and returns what the Workflow must
 * throw. An unexpected error is a defect and returned unchanged: it fails the Workflow Task, and the onboarding resumes
 * once fixed Workers are deployed.
 */
async function failWith(run: OnboardingRun, error: unknown): Promise<unknown> {
  const ended = alreadyEnded(error);
  if (ended?.recordedFailure !== undefined) {
    // The Workflow Task that recorded it was lost; the backend knows it.
    showFailure(run, ended.recordedFailure);
    showRecordedEnd(run, ended.onboarding);
    return workflowFailure(ended.recordedFailure);
  }
  if (ended !== undefined) return ended.failure;
  const { onboarding } = run;
  const { stage } = onboarding;
  if (wasCancelled(error)) {
    const badEnd = { type: 'Cancelled', exit: null, message: `Cancelled in stage ${stage}` } as const;
    onboarding.badEnd = badEnd;
    await undoSteps(run, { badEnd, failure: null });
    await recordEnd(run, { outcome: 'cancelled' });
    return isCancellation(error) ? error : new CancelledFailure('The onboarding was cancelled');
  }
  const expected = toFailure(run, error);
  if (expected === undefined) return error;
  // On its own line, so that no value to copy runs into it.
  const failure = { ...expected, message: `${expected.message}\n${startAgain(run.input.tenantId)}` };
  const badEnd = showFailure(run, failure);
  const failed = (): OnboardingFailure => {
    const details = { ...failure.details, stage, exit: badEnd.exit, undo: onboarding.undo };
    return { ...failure, details } as OnboardingFailure;
  };
  await undoSteps(run, { badEnd, failure: failed() });
  await recordEnd(run, { outcome: 'failed', failure: failed() });
  return workflowFailure(failed());
}

function showFailure({ onboarding }: OnboardingRun, { type, message }: FailureBeforeUndo): Ending['badEnd'] {
  const { exit } = failures[type];
  onboarding.badEnd = { type, exit, message };
  upsertSearchAttributes([
    { key: reasonKey, value: type },
    { key: exitKey, value: exit },
  ]);
  return onboarding.badEnd;
}

const workflowFailure = ({ type, message, details }: OnboardingFailure): ApplicationFailure =>
  expectedFailure({ type, message, nonRetryable: true, details: [details] });

/** Whether an Activity has thrown a failure of an onboarding with its details; of these two the Workflow knows them. */
const isDetailed = (cause: unknown): cause is ApplicationFailure & { readonly type: FailureType } =>
  cause instanceof ApplicationFailure &&
  isFailureType(cause.type) &&
  cause.type !== 'DomainNotVerified' &&
  cause.type !== 'ProviderUnavailable';

function toFailure({ onboarding }: OnboardingRun, error: unknown): FailureBeforeUndo | undefined {
  if (error instanceof OnboardingFailed) return error.failure;
  const cause = activityCause(error);
  if (isDetailed(cause))
    return { type: cause.type, message: cause.message, details: cause.details?.[0] } as FailureBeforeUndo;
  if (isNotVerified(error)) {
    // POST /emails was refused because the domain is no longer verified: F2, later than usual.
    const { domainId, timesNotVerified } = onboarding;
    const details = { domainId: domainId ?? '', times: timesNotVerified + 1, lastStatus: 'unknown' };
    return { type: 'DomainNotVerified', message: messageOf(cause), details };
  }
  if (!(error instanceof ActivityFailure)) return undefined;
  const { activityType: step } = error;
  // A timeout wraps the failure of the previous attempt.
  const lastError = messageOf(cause instanceof TimeoutFailure ? (cause.cause ?? cause) : cause);
  const message = `${step} did not succeed before its deadline: ${lastError}`;
  return { type: 'ProviderUnavailable', message, details: { step, lastError } };
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : 'unknown');
