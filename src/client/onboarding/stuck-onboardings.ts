import type { Client } from '@temporalio/client';
import { findStuckWorkflowTask, reportedAsStuck, type StuckWorkflowTask } from '../../lib/temporal/stuck-workflows.ts';
import { onboardingWorkflowId, tenantOfWorkflow } from '../../onboarding/onboarding-ids.ts';
import { ONBOARDING_WORKFLOW_TYPE } from '../../workflows/messages.ts';
import { withCallTimeout } from '../temporal-calls.ts';

interface StuckOnboardings {
  /** Tenants that the server reports; undefined if it is older than 1.32 and reports none. */
  readonly reported: (limit: number) => Promise<string[] | undefined>;
  /** Undefined if the onboarding of the tenant is not stuck. */
  readonly taskOf: (tenantId: string) => Promise<StuckWorkflowTask | undefined>;
}

/** Onboardings whose Workflow Task fails again and again. */
export const createStuckOnboardings = (client: Client): StuckOnboardings => ({
  async reported(limit) {
    const query = `WorkflowType = "${ONBOARDING_WORKFLOW_TYPE}"`;
    const workflowIds = await withCallTimeout(client, () => reportedAsStuck(client, { query, limit }));
    return workflowIds?.flatMap((id) => tenantOfWorkflow(id) ?? []);
  },
  taskOf: (tenantId) => withCallTimeout(client, () => findStuckWorkflowTask(client, onboardingWorkflowId(tenantId))),
});
