import type { Client } from '@temporalio/client';
import { onboardingWorkflowId, tenantOfWorkflow } from '../onboarding/onboarding-ids.ts';
import type { RecordEnd, StoredRecord } from '../store/register.ts';
import { ONBOARDING_WORKFLOW_TYPE } from '../workflows/messages.ts';
import { attemptIdOf, executionEnd, outcomeOf } from './onboarding-executions.ts';
import { described, timely } from './timely.ts';

/** The next sweep, ten seconds later, finds the same; a Worker may be away for some minutes. */
const RECENT_MS = 10 * 60_000;

/** What the register cannot know: executions that ended without recording it. */
export function createEndedOnboardings(client: Client) {
  async function tenantsOf(query: string, limit: number): Promise<string[]> {
    const { executions } = await timely(client, () =>
      client.workflowService.listWorkflowExecutions({ namespace: client.options.namespace, query, pageSize: limit }),
    );
    return executions.flatMap(({ execution }) => tenantOfWorkflow(execution?.workflowId ?? '') ?? []);
  }

  return {
    /** See SweepDependencies. */
    async listedAsRunning(tenantIds: readonly string[]): Promise<Set<string>> {
      if (tenantIds.length === 0) return new Set();
      const ids = tenantIds.map((tenantId) => `"${onboardingWorkflowId(tenantId)}"`).join(', ');
      return new Set(await tenantsOf(`WorkflowId IN (${ids}) AND ExecutionStatus = "Running"`, tenantIds.length));
    },

    /** Tenants whose execution was terminated or timed out in the last minutes, latest first. */
    async recentlyTerminated(limit: number): Promise<string[]> {
      const since = new Date(Date.now() - RECENT_MS).toISOString();
      const query = `WorkflowType="${ONBOARDING_WORKFLOW_TYPE}" AND ExecutionStatus IN ("Terminated","TimedOut") AND CloseTime > "${since}"`;
      return tenantsOf(query, limit);
    },

    /**
     * The end of a recorded onboarding, if its execution has ended or was deleted. Undefined while the tenant's latest run is
     * running: after a Reset that is a later run of the same attempt.
     */
    async endOf(record: StoredRecord): Promise<RecordEnd | undefined> {
      const { tenantId, attemptId, startedAt, startedWith, runId, onboarding } = record;
      const description = await described(client, onboardingWorkflowId(tenantId));
      if (description !== undefined && outcomeOf(description) === 'running') return undefined;
      const end = { tenantId, attemptId, startedAt, startedWith, recordedRunId: runId, result: null, failure: null };
      if (description === undefined || attemptIdOf(description) !== attemptId) {
        return { ...end, runId, onboarding, at: new Date().toISOString(), outcome: 'terminated' };
      }
      const { outcome, result, failure } = await timely(client, () => executionEnd(client, description));
      return {
        ...end,
        ...{ result, failure, outcome, onboarding, runId: description.runId },
        at: (description.closeTime ?? new Date()).toISOString(),
      };
    },
  };
}
