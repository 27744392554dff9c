import {
  ApplicationFailure,
  log,
  ParentClosePolicy,
  proxyActivities,
  proxyLocalActivities,
  setCurrentDetails,
  sleep,
  startChild,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import { checkDetails } from '../agents-md/check-details.ts';
import { type CheckInput, checkInputProblems } from '../agents-md/check-input.ts';
import type { CheckResult, CheckSoFar, PreviousCheck } from '../agents-md/check-result.ts';
import { announcementWorkflowId } from '../agents-md/ids.ts';
import { type NextStep, nextStep } from '../agents-md/next-step.ts';
import type { Observation } from '../agents-md/observation.ts';
import { outcomeChange, type OutcomeChange } from '../agents-md/outcome-change.ts';
import { carryOver, verdict } from '../agents-md/verdict.ts';
import type { AgentsMdActivities } from '../activities/index.ts';
import { quickStepOptions, recordOptions } from './activity-options.ts';
import type { announceOutcomeChange } from './announce-outcome-change.ts';
import { askHost } from './ask-host.ts';
import { quickThenPatient } from './quick-then-patient.ts';
import { outcomeChangeKey, outcomeKey, producerKey, reasonKey } from './search-attributes.ts';

const quick = proxyLocalActivities<AgentsMdActivities>(quickStepOptions);
const patient = proxyActivities<AgentsMdActivities>(recordOptions);

export interface CheckAgentsMdInput extends CheckInput {
  /** What a check of the same repository has just observed: those questions are not asked again. @default nothing */
  readonly observed?: readonly Observation[];
}

export interface CheckAgentsMdResult {
  readonly result: CheckResult;
  readonly observations: readonly Observation[];
}

/**
 * Looks for a producer's AGENTS.md: asks one question after the other until the rule can decide, keeps the result, and
 * tells when the outcome is another one than before. A host that cannot be asked makes the result inconclusive, not
 * the Workflow fail.
 */
export async function checkAgentsMd({ observed = [], ...input }: CheckAgentsMdInput): Promise<CheckAgentsMdResult> {
  refuseInvalid(input);
  const previous = await recall(input.producerId);
  let soFar: CheckSoFar = { input, startedAt: now(), previous, observations: observed };
  for (let step = nextStep(soFar); step.step !== 'conclude'; step = nextStep(soFar)) {
    setCurrentDetails(checkDetails(soFar, step));
    await untilDue(step);
    soFar = { ...soFar, observations: [...soFar.observations, await askHost(step)] };
  }
  const result = verdict(soFar, now());
  const change = outcomeChange(previous, result);
  setCurrentDetails(checkDetails(soFar, result));
  upsertSearchAttributes([
    { key: producerKey, value: input.producerId },
    { key: outcomeKey, value: result.outcome ?? result.status },
    { key: reasonKey, value: result.reasonCode },
    ...(change === null ? [] : [{ key: outcomeChangeKey, value: `${change.from.outcome}-to-${change.to.outcome}` }]),
  ]);
  await remember(carryOver(soFar, result));
  if (change !== null) await announce(change);
  return { result, observations: soFar.observations };
}

const recall = (producerId: string): Promise<PreviousCheck | null> =>
  quickThenPatient(
    () => quick.recallCheck(producerId),
    () => patient.recallCheck(producerId),
  );

const remember = (check: PreviousCheck): Promise<void> =>
  quickThenPatient(
    () => quick.rememberCheck(check),
    () => patient.rememberCheck(check),
  );

/** The edges validate too; this keeps a start from elsewhere from asking anything. */
function refuseInvalid(input: unknown): void {
  const problems = checkInputProblems(input);
  if (problems.length === 0) return;
  const failure = ApplicationFailure.create({
    type: 'InvalidInput',
    message: problems.map(({ field, problem }) => `${field} ${problem}`.trim()).join('; '),
    nonRetryable: true,
    details: [{ problems }],
  });
  failure.stack = '';
  throw failure;
}

/** A second look waits for the host's caches. */
async function untilDue(step: Exclude<NextStep, { step: 'conclude' }>): Promise<void> {
  if (step.step !== 'fetch' || step.notBefore === null) return;
  const waitMs = Date.parse(step.notBefore) - Date.now();
  const { organization, repository } = step.place;
  const summary = `Second look at ${organization}/${repository} at ${step.notBefore}, before its file is called gone`;
  if (waitMs > 0) await sleep(waitMs, { summary });
}

async function announce(change: OutcomeChange): Promise<void> {
  const { producerId, from, to } = change;
  log.info('the outcome of an AGENTS.md check has changed', {
    producerId,
    from: from.outcome,
    to: to.outcome,
    reasonCode: to.reasonCode,
  });
  await startChild<typeof announceOutcomeChange>('announceOutcomeChange', {
    workflowId: announcementWorkflowId(workflowInfo().runId),
    args: [change],
    parentClosePolicy: ParentClosePolicy.ABANDON,
    staticSummary: `${producerId}: ${from.outcome} to ${to.outcome}`,
    typedSearchAttributes: [{ key: producerKey, value: producerId }],
  });
}

const now = (): string => new Date().toISOString();
