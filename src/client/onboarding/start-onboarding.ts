import {
  type Client,
  WorkflowExecutionAlreadyStartedError,
  type WorkflowExecutionDescription,
  WorkflowFailedError,
} from '@temporalio/client';
import { createHash } from 'node:crypto';
import type { OnboardTenantInput } from '../../onboarding/input.ts';
import { differencesBetween } from '../../onboarding/same-request.ts';
import { newOnboarding } from '../../onboarding/onboarding.ts';
import { onboardingWorkflowId } from '../../onboarding/onboarding-ids.ts';
import type { OnboardingOutcome } from '../../onboarding/onboarding-record.ts';
import { firstStage, Stage } from '../../onboarding/stage.ts';
import type { ProviderName } from '../../onboarding/provider-name.ts';
import type { Register, StoredRecord } from '../../store/onboarding/register.ts';
import { ONBOARDING_WORKFLOW_TYPE } from '../../workflows/messages.ts';
import { domainKey, stageKey, tenantKey } from '../../workflows/search-attributes.ts';
import { describeExecution, withCallTimeout } from '../temporal-calls.ts';
import { attemptIdOf, memoInputOf, type OnboardingExecutions, outcomeOf } from './onboarding-executions.ts';
import { OnboardingUnavailable } from './onboarding-unavailable.ts';

export type StartOutcome =
  | { kind: 'started' | 'alreadyThere'; record: StoredRecord }
  | { kind: 'different'; fields: string[]; workflowId: string }
  | { kind: 'undoing'; record: StoredRecord };

export interface StartParts {
  readonly client: Client;
  readonly register: Register;
  readonly executions: Pick<OnboardingExecutions, 'record'>;
  readonly taskQueue: string;
  /** The provider of new onboardings. @default the embedded email service */
  readonly provider?: ProviderName | undefined;
  /** Needs Workers of the Task Queue on the client's connection, of no deployment version: a draining one would begin onboardings. */
  readonly requestEagerStart?: boolean | undefined;
}

type ReusePolicy = 'ALLOW_DUPLICATE' | 'ALLOW_DUPLICATE_FAILED_ONLY';
type ConflictPolicy = 'FAIL' | 'TERMINATE_EXISTING';

/** A new start adopts what these left. */
const restartable: readonly OnboardingOutcome[] = ['failed', 'cancelled', 'terminated'];

/** Starts an onboarding unless the tenant has a running or successful one. */
export async function startOnboarding(parts: StartParts, input: OnboardTenantInput): Promise<StartOutcome> {
  const { client, register } = parts;
  const record = await register.get(input.tenantId);
  if (record === undefined || restartable.includes(record.outcome))
    return begin(parts, input, 'ALLOW_DUPLICATE_FAILED_ONLY');
  const description = await describeExecution(client, onboardingWorkflowId(input.tenantId));
  if (description?.status.name === 'RUNNING') return joined(parts, input, description);
  // Temporal would allow a second start: of a success whose execution it deleted, or of one deleted while it ran.
  if (record.outcome === 'onboarded' || description === undefined)
    return compared(input, record.startedWith, () => record);
  return begin(parts, input, 'ALLOW_DUPLICATE_FAILED_ONLY');
}

/** Starts a new onboarding after one that has ended, even successfully. */
export const restartOnboarding = (parts: StartParts, input: OnboardTenantInput): Promise<StartOutcome> =>
  begin(parts, input, 'ALLOW_DUPLICATE');

/**
 * Starts again, with the input that was kept, an onboarding whose execution was lost. Never after a success.
 *
 * @param options.replaces the execution runs but cannot go on: the same call to Temporal terminates it
 */
export const startLostOnboarding = (
  parts: StartParts,
  input: OnboardTenantInput,
  { replaces = false }: { readonly replaces?: boolean } = {},
): Promise<StartOutcome> =>
  begin(parts, input, 'ALLOW_DUPLICATE_FAILED_ONLY', replaces ? 'TERMINATE_EXISTING' : 'FAIL');

async function begin(
  parts: StartParts,
  input: OnboardTenantInput,
  policy: ReusePolicy,
  conflictPolicy: ConflictPolicy = 'FAIL',
): Promise<StartOutcome> {
  const { client, register } = parts;
  const workflowId = onboardingWorkflowId(input.tenantId);
  // A repeated start replaces nothing: what runs then is not what the caller has seen.
  for (const conflict of [conflictPolicy, 'FAIL', 'FAIL', 'FAIL'] as const) {
    try {
      return await startWorkflow(parts, input, policy, conflict);
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    }
    const there = await withCallTimeout(client, () => client.workflow.getHandle(workflowId).describe());
    if (!(await isOver(register, input.tenantId, there, policy))) return joined(parts, input, there);
    const ending = client.workflow.getHandle(workflowId, there.runId);
    await withCallTimeout(client, () => ending.result()).catch((error: unknown) => {
      if (!(error instanceof WorkflowFailedError)) throw error;
    });
  }
  throw new OnboardingUnavailable(`Onboardings of ${input.tenantId} begin and end faster than this start can follow.`);
}

async function startWorkflow(
  parts: StartParts,
  asked: OnboardTenantInput,
  workflowIdReusePolicy: ReusePolicy,
  workflowIdConflictPolicy: ConflictPolicy,
): Promise<StartOutcome> {
  const { client, register, taskQueue, provider, requestEagerStart = false } = parts;
  const input = { ...asked, ...(provider !== undefined && { provider }) };
  const { tenantId } = input;
  const startedWith = withHashedBody(input);
  const { firstExecutionRunId: attemptId } = await withCallTimeout(client, () =>
    client.workflow.start(ONBOARDING_WORKFLOW_TYPE, {
      workflowId: onboardingWorkflowId(tenantId),
      taskQueue,
      requestEagerStart,
      args: [input],
      workflowIdReusePolicy,
      workflowIdConflictPolicy,
      staticSummary: `${tenantId}: ${input.domain}`,
      typedSearchAttributes: [
        { key: tenantKey, value: tenantId },
        { key: domainKey, value: input.domain },
        { key: stageKey, value: firstStage },
      ],
      memo: { input: startedWith },
    }),
  );
  const at = new Date().toISOString();
  const run = { tenantId, attemptId, runId: attemptId, at };
  const onboarding = { ...newOnboarding(input), stages: [{ stage: firstStage, at }] };
  const record = await register.announce({ ...run, startedAt: at, startedWith, onboarding }, input.firstEmail.body);
  return { kind: 'started', record: record.attemptId === attemptId ? record : await recordOf(parts, run) };
}

/** Whether this start may follow the execution, which has closed since it refused the start, or is about to: the register has its end. */
async function isOver(
  register: Register,
  tenantId: string,
  there: WorkflowExecutionDescription,
  policy: ReusePolicy,
): Promise<boolean> {
  if (there.status.name !== 'RUNNING') return mayFollow(outcomeOf(there), policy);
  const record = await register.get(tenantId);
  if (record?.attemptId !== attemptIdOf(there)) return false;
  return record.outcome !== 'terminated' && mayFollow(record.outcome, policy);
}

/** Whether a start with this policy may follow an onboarding with this outcome. */
const mayFollow = (outcome: OnboardingOutcome, policy: ReusePolicy): boolean =>
  restartable.includes(outcome) || (outcome === 'onboarded' && policy === 'ALLOW_DUPLICATE');

async function joined(
  parts: StartParts,
  input: OnboardTenantInput,
  there: WorkflowExecutionDescription,
): Promise<StartOutcome> {
  const { tenantId } = input;
  const attemptId = attemptIdOf(there);
  const record = await parts.register.get(tenantId);
  if (record?.attemptId === attemptId && isUndoing(record)) return { kind: 'undoing', record };
  return compared(input, memoInputOf(there), () => recordOf(parts, { tenantId, attemptId }));
}

/** It will not succeed, and its end has yet to be recorded. */
const isUndoing = ({ outcome, onboarding }: StoredRecord): boolean =>
  outcome === 'running' && onboarding.stage === Stage.undoing;

/** The record of the onboarding with this attempt ID: the register's, or, while the register has none, one made from its execution. */
async function recordOf(
  { register, executions }: StartParts,
  { tenantId, attemptId }: Pick<StoredRecord, 'tenantId' | 'attemptId'>,
): Promise<StoredRecord> {
  const kept = await register.get(tenantId);
  const record = kept?.attemptId === attemptId ? kept : await executions.record(tenantId);
  if (record === undefined) throw new Error(`the onboarding of ${tenantId} was deleted concurrently`);
  return record;
}

async function compared(
  input: OnboardTenantInput,
  there: OnboardTenantInput | null,
  recordThere: () => StoredRecord | Promise<StoredRecord>,
): Promise<StartOutcome> {
  // Another program started the Workflow, without the memo that holds its input.
  const fields = there === null ? ['(unknown)'] : differencesBetween(withHashedBody(input), there);
  return fields.length > 0
    ? { kind: 'different', fields, workflowId: onboardingWorkflowId(input.tenantId) }
    : { kind: 'alreadyThere', record: await recordThere() };
}

/** The form kept in the memo, to compare later starts with: a hash replaces the body, which may be large. */
export const withHashedBody = (input: OnboardTenantInput): OnboardTenantInput => ({
  ...input,
  firstEmail: { ...input.firstEmail, body: createHash('sha256').update(input.firstEmail.body).digest('hex') },
});
