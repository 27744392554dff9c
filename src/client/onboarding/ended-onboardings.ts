import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { serverTimeMs } from '../../lib/temporal/server-time.ts';
import type { Onboarding } from '../../onboarding/onboarding.ts';
import { onboardingWorkflowId, tenantOfWorkflow } from '../../onboarding/onboarding-ids.ts';
import type { RecordEnd } from '../../onboarding/record-change.ts';
import type { Register, StoredRecord } from '../../store/onboarding/register.ts';
import { ONBOARDING_WORKFLOW_TYPE, onboardingStateQuery } from '../../workflows/messages.ts';
import { attemptIdOf, executionEnd, outcomeOf } from './onboarding-executions.ts';
import { OnboardingUnavailable } from './onboarding-unavailable.ts';
import { describeExecution, queryOrNull, withCallTimeout } from '../temporal-calls.ts';

/** The next sweep, ten seconds later, finds the same; a Worker may be away for some minutes. */
const RECENT_MS = 10 * 60_000;

/** Ends that the register cannot know: executions that ended without recording it. */
export function createEndedOnboardings(client: Client) {
  return {
    /** See SweepDependencies. */
    async listedAsRunning(tenantIds: readonly string[]): Promise<Set<string>> {
      if (tenantIds.length === 0) return new Set();
      const ids = tenantIds.map((tenantId) => `"${onboardingWorkflowId(tenantId)}"`).join(', ');
      return new Set(
        await tenantsOf(client, `WorkflowId IN (${ids}) AND ExecutionStatus = "Running"`, tenantIds.length),
      );
    },

    /** Tenants whose execution was terminated or timed out in the last minutes, latest first. */
    async recentlyTerminated(limit: number): Promise<string[]> {
      const since = new Date((await serverTimeMs(client, client.options.namespace)) - RECENT_MS).toISOString();
      const query = `WorkflowType="${ONBOARDING_WORKFLOW_TYPE}" AND ExecutionStatus IN ("Terminated","TimedOut") AND CloseTime > "${since}"`;
      return tenantsOf(client, query, limit);
    },

    executionOf: (record: StoredRecord) => executionOf(client, record),
  };
}

/** Tenants of the onboardings that the server lists. */
export async function tenantsOf(client: Client, query: string, limit: number): Promise<string[]> {
  const { executions } = await withCallTimeout(client, () =>
    client.workflowService.listWorkflowExecutions({ namespace: client.options.namespace, query, pageSize: limit }),
  );
  return executions.flatMap(({ execution }) => tenantOfWorkflow(execution?.workflowId ?? '') ?? []);
}

/**
 * The state in Temporal of the execution of a recorded onboarding: its end; `running`, after a Reset as a later run of the same onboarding; or
 * `missing`, which is no end: it was deleted, or the server has lost it.
 */
export async function executionOf(client: Client, record: StoredRecord): Promise<RecordEnd | 'running' | 'missing'> {
  const { tenantId, attemptId, startedAt, startedWith, runId: recordedRunId, onboarding } = record;
  const workflowId = onboardingWorkflowId(tenantId);
  const latest = await describeExecution(client, workflowId);
  const isSameAttempt = latest !== undefined && attemptIdOf(latest) === attemptId;
  // Another program has started the tenant again, or the execution was deleted.
  const description = isSameAttempt ? latest : await describeExecution(client, workflowId, { runId: recordedRunId });
  if (description === undefined) return 'missing';
  if (outcomeOf(description) === 'running') return 'running';
  const { outcome, result, failure } = await withCallTimeout(client, () => executionEnd(client, description));
  const state = await stateOf(client, description);
  // Of a database that was restored, the record is older than the execution.
  const isOlder = state !== null && state.stages.length >= onboarding.stages.length;
  return {
    ...{ tenantId, attemptId, startedAt, startedWith, recordedRunId, onboarding: isOlder ? state : onboarding },
    ...{ result, failure, outcome, runId: description.runId },
    at: (description.closeTime ?? new Date()).toISOString(),
  };
}

/** The record, if the register shows it as running and Temporal has no execution of it, which is no end. */
export async function recordWithoutExecution(
  client: Client,
  register: Register,
  tenantId: string,
): Promise<StoredRecord | undefined> {
  const record = await register.get(tenantId);
  if (record?.outcome !== 'running' || (await executionOf(client, record)) !== 'missing') return undefined;
  return record;
}

export async function throwIfMissing(client: Client, register: Register, tenantId: string): Promise<void> {
  if ((await recordWithoutExecution(client, register, tenantId)) === undefined) return;
  throw new OnboardingUnavailable(
    `The register shows the onboarding of ${tenantId} as running, but Temporal has no execution of it: sendoff doctor says what to do.`,
  );
}

/** As its Workflow knows it; null if no Worker answers. */
export async function stateOf(
  client: Client,
  { workflowId, runId }: Pick<WorkflowExecutionDescription, 'workflowId' | 'runId'>,
): Promise<Onboarding | null> {
  const ask = () => queryOrNull(client, () => client.workflow.getHandle(workflowId, runId).query(onboardingStateQuery));
  // A Worker that has just started replays the history first, which may take longer than a query waits: the second one finds it replayed.
  return (await ask()) ?? (await ask());
}

/** Whether no Worker said how far the execution of the record had come when it ended. */
export const lacksState = ({ onboarding }: RecordEnd, record: StoredRecord): boolean =>
  onboarding === record.onboarding;

/** The end of an onboarding whose execution is missing, for a caller who has decided to end it: nothing was undone. */
export const endOfMissing = ({
  tenantId,
  attemptId,
  startedAt,
  startedWith,
  runId,
  onboarding,
}: StoredRecord): RecordEnd => ({
  ...{ tenantId, attemptId, startedAt, startedWith, runId, onboarding },
  ...{ recordedRunId: runId, at: new Date().toISOString() },
  ...{ outcome: 'terminated', result: null, failure: null },
});
