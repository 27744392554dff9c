import type { Client } from '@temporalio/client';
import { findStuckWorkflowTask, reportedAsStuck, type StuckWorkflowTask } from '../../lib/temporal/stuck-workflows.ts';
import { onboardingWorkflowId, tenantOfWorkflow } from '../../onboarding/onboarding-ids.ts';
import { ONBOARDING_WORKFLOW_TYPE } from '../../workflows/messages.ts';
import { withCallTimeout } from '../temporal-calls.ts';

/** Onboardings whose Workflow Task fails again and again. */
export const createStuckOnboardings = (client: Client) => ({
  /** Tenants that the server reports; undefined if it is older than 1.32 and reports none. */
  reported: async (limit: number): Promise<string[] | undefined> => {
    const query = `WorkflowType = "${ONBOARDING_WORKFLOW_TYPE}"`;
    const workflowIds = await withCallTimeout(client, () => reportedAsStuck(client, { query, limit }));
    return workflowIds?.flatMap((id) => tenantOfWorkflow(id) ?? []);
  },
  /** Undefined if the onboarding of the tenant is not stuck. */
  taskOf: (tenantId: string): Promise<StuckWorkflowTask | undefined> =>
    withCallTimeout(client, () => findStuckWorkflowTask(client, onboardingWorkflowId(tenantId))),
});
