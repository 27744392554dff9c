import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  CancellationScope,
  log,
  ParentClosePolicy,
  proxyActivities,
  proxyLocalActivities,
  setCurrentDetails,
  setHandler,
  sleep,
  startChild,
  upsertSearchAttributes,
  workflowInfo,
  WorkflowIdReusePolicy,
} from '@temporalio/workflow';
import { checkFacts } from '../../agents-md/check-facts.ts';
import { type CheckInput, checkInputFaults, comparableCheck } from '../../agents-md/check-input.ts';
import {
  type CheckResult,
  type CheckSoFar,
  type ResolvedRepository,
  wasSeenLater,
} from '../../agents-md/check-result.ts';
import { checkProgress, type CheckProgress } from '../../agents-md/check-progress.ts';
import { announcementWorkflowId } from '../../agents-md/check-ids.ts';
import { type NextStep, nextStep } from '../../agents-md/next-step.ts';
import { type FileObservation, FoundIn, type Observation } from '../../agents-md/observation.ts';
import { outcomeChange, type OutcomeChange } from '../../agents-md/outcome-change.ts';
import { carryOver, verdict } from '../../agents-md/verdict.ts';
import type { StoredCheck } from '../../store/agents-md/check-store.ts';
import type { AgentsMdActivities } from '../../activities/index.ts';
import { differingFields } from '../../lib/differing-fields.ts';
import { isObject } from '../../lib/json-value.ts';
import { handleSignal } from '../../lib/workflow-waits/handle-signal.ts';
import { expectedFailure } from '../../lib/expected-failure.ts';
import { quickStepOptions, recordOptions } from '../activity-options.ts';
import type { announceOutcomeChange } from './announce-outcome-change.ts';
import { askHost } from './ask-host.ts';
import { quickThenPatient } from '../quick-then-patient.ts';
import { checkProgressQuery, producerIsAtSignal } from '../messages.ts';
import { outcomeChangeKey, outcomeKey, producerKey, reasonKey } from '../search-attributes.ts';
import { shownFaults } from '../shown-faults.ts';

const quick = proxyLocalActivities<AgentsMdActivities>(quickStepOptions);
const patient = proxyActivities<AgentsMdActivities>(recordOptions);

export interface CheckAgentsMdInput extends CheckInput {
  /** The findings of recent checks of the same organization, which this check does not request again. @default none */
  readonly given?: Findings;
  /** Looks at the organization's fallback that another check may be asking for: this one ends before it asks. @default none */
  readonly leaves?: readonly Look[];
}

type Look = FileObservation['look'];

export interface Findings {
  readonly observations: readonly Observation[];
  readonly resolved: ResolvedRepository | null;
}

export interface CheckAgentsMdResult {
  /** Null if it left something to be asked for, or its producer has moved. */
  readonly result: CheckResult | null;
  /** The look that it left to be asked for. */
  readonly left: Look | null;
  /** The findings of this check, without those it was given. */
  readonly own: Findings;
}

/**
 * Checks a producer's AGENTS.md: asks the code host until the rules can decide, stores the result, and announces a changed
 * outcome. A host that does not answer makes the result inconclusive; it does not fail the Workflow.
 */
export async function checkAgentsMd(start: CheckAgentsMdInput): Promise<CheckAgentsMdResult> {
  if (!isObject(start)) refuseInvalid(start);
  const { given, leaves = [], ...input } = start;
  refuseInvalid(input);
  const { observations = [], resolved = null } = given ?? {};
  const show = showProgress();
  let stored = await recall(input.producerId);
  let soFar: CheckSoFar = {
    input,
    startedAt: now(),
    previous: stored?.check ?? null,
    observations,
    given: { observations: observations.length, resolved },
  };
  const move = awaitMove(input);
  for (;;) {
    const asked = await move.unlessMoved(() => askAll(soFar, { show, leaves }));
    if (asked === undefined) return { result: null, left: null, own: ownFindings(soFar) };
    soFar = asked;
    const left = leftOf(nextStep(soFar), leaves);
    if (left !== null) return { result: null, left, own: ownFindings(soFar) };
    const result = verdict(soFar, now());
    show(checkProgress(soFar, result));
    const other = await conclude(soFar, result, stored);
    if (other === null) return { result, left: null, own: ownFindings(soFar) };
    // Another check of the producer ended meanwhile: what it found may need a second check.
    stored = other;
    soFar = { ...soFar, previous: other.check };
  }
}

/** Returns a function that shows progress in the Temporal UI and to the Query. */
function showProgress(): (progress: CheckProgress) => void {
  let latest: CheckProgress = { details: '', currentRequest: null };
  setHandler(checkProgressQuery, () => latest);
  return (progress) => {
    latest = progress;
    setCurrentDetails(progress.details);
  };
}

/** The producer of a sweep's check may be moved while the check waits for hours: then it ends, and the next sweep checks the new place. */
function awaitMove(input: CheckInput) {
  const scope = new CancellationScope();
  let hasMoved = false;
  handleSignal(producerIsAtSignal, (place) => {
    if (workflowInfo().parent === undefined || !isObject(place)) return;
    if (differingFields(comparableCheck(input), comparableCheck(place)).length === 0) return;
    hasMoved = true;
    scope.cancel();
  });
  return {
    unlessMoved: <Value>(run: () => Promise<Value>): Promise<Value | undefined> =>
      scope.run(run).catch((error: unknown) => {
        if (hasMoved) return undefined;
        throw error;
      }),
  };
}

async function askAll(
  before: CheckSoFar,
  { show, leaves }: { show: (progress: CheckProgress) => void; leaves: readonly Look[] },
): Promise<CheckSoFar> {
  let soFar = before;
  for (let step = nextStep(soFar); step.step !== 'conclude'; step = nextStep(soFar)) {
    if (leftOf(step, leaves) !== null) break;
    show(checkProgress(soFar, step));
    await untilDue(step);
    soFar = { ...soFar, observations: [...soFar.observations, await askHost(step)] };
  }
  return soFar;
}

const leftOf = (step: NextStep, leaves: readonly Look[]): Look | null =>
  step.step === 'fetch' && step.place.in === FoundIn.orgFallback && leaves.includes(step.look) ? step.look : null;

/**
 * Stores the result and announces a changed outcome. Not cancellable in between, so that no stored change stays
 * unannounced. Returns null, or what another check stored since this one began.
 */
const conclude = (soFar: CheckSoFar, result: CheckResult, basedOn: StoredCheck | null): Promise<StoredCheck | null> =>
  CancellationScope.nonCancellable(async () => {
    const check = carryOver(soFar, result);
    const other = await remember({ check, version: workflowInfo().runId }, basedOn?.version ?? null);
    if (other !== null && !wasSeenLater(other.check.result, result)) return other;
    const change = other === null ? outcomeChange(soFar.previous, result) : null;
    upsertSearchAttributes([
      { key: producerKey, value: soFar.input.producerId },
      { key: outcomeKey, value: result.outcome ?? result.status },
      { key: reasonKey, value: result.reasonCode },
      ...(change === null ? [] : [{ key: outcomeChangeKey, value: `${change.from.outcome}-to-${change.to.outcome}` }]),
    ]);
    if (change !== null) await announce(change);
    return null;
  });

function ownFindings(soFar: CheckSoFar): Findings {
  const { observations, given } = soFar;
  return { observations: observations.slice(given?.observations), resolved: checkFacts(soFar).resolved };
}

const recall = (producerId: string): Promise<StoredCheck | null> =>
  quickThenPatient(
    () => quick.recallCheck(producerId),
    () => patient.recallCheck(producerId),
  );

function remember(stored: StoredCheck, basedOn: string | null): Promise<StoredCheck | null> {
  const question = { stored, basedOn };
  return quickThenPatient(
    () => quick.rememberCheck(question),
    () => patient.rememberCheck(question),
  );
}

function refuseInvalid(input: unknown): void {
  const { problems, message } = shownFaults(checkInputFaults(input));
  if (problems.length === 0) return;
  throw expectedFailure({ message, type: 'InvalidInput', nonRetryable: true, details: [{ problems }] });
}

/** A second check waits for the host's caches. */
async function untilDue(step: Exclude<NextStep, { step: 'conclude' }>): Promise<void> {
  if (step.step !== 'fetch' || step.notBefore === null) return;
  const waitMs = Date.parse(step.notBefore) - Date.now();
  const { organization, repository } = step.place;
  const summary = `Second check of ${organization}/${repository} at ${step.notBefore}, before its file is reported as removed`;
  if (waitMs > 0) await sleep(waitMs, { summary });
}

async function announce(change: OutcomeChange): Promise<void> {
  const { producerId, from, to } = change;
  log.info('the outcome of an AGENTS.md check changed', {
    producerId,
    from: from.outcome,
    to: to.outcome,
    reasonCode: to.reasonCode,
  });
  try {
    await startChild<typeof announceOutcomeChange>('announceOutcomeChange', {
      workflowId: announcementWorkflowId(producerId, from.checkedAt, to.outcome),
      workflowIdReusePolicy: WorkflowIdReusePolicy.REJECT_DUPLICATE,
      args: [change],
      parentClosePolicy: ParentClosePolicy.ABANDON,
      staticSummary: `${producerId}: ${from.outcome} to ${to.outcome}`,
      typedSearchAttributes: [{ key: producerKey, value: producerId }],
    });
  } catch (error) {
    // Announced before this run was reset.
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}

const now = (): string => new Date().toISOString();
