import type { Client } from '@temporalio/client';
import { createRepetitionFilter } from '../../lib/repetition-filter.ts';
import { notificationsWorkflowId } from '../../onboarding/onboarding-ids.ts';
import {
  NOTIFICATIONS_WORKFLOW_TYPE,
  notificationWaitsSignal,
  ONBOARDING_TASK_QUEUE,
  SWEEP_WORKFLOW_ID,
  SWEEP_WORKFLOW_TYPE,
} from '../../workflows/messages.ts';
import type { notifyBackend } from '../../workflows/upkeep/notify-backend.ts';
import type { sweepRegister } from '../../workflows/upkeep/sweep-register.ts';
import { withCallTimeout } from '../temporal-calls.ts';

export type BackendNotifications = ReturnType<typeof createBackendNotifications>;

/** The Workflows that deliver notifications to the backend: one per tenant, so that a tenant's arrive in order. */
export function createBackendNotifications(
  client: Client,
  {
    warn,
    taskQueue = ONBOARDING_TASK_QUEUE,
  }: { readonly warn: (message: string, meta: object) => void; readonly taskQueue?: string },
) {
  const inFlight = new Set<Promise<void>>();
  const leftOutOf = createRepetitionFilter();
  const startOf = (tenantId: string) => ({
    workflowId: notificationsWorkflowId(tenantId),
    taskQueue,
    args: [{ tenantId }] as [{ tenantId: string }],
    staticSummary: `Notifications about ${tenantId}`,
  });

  async function signal(tenantId: string): Promise<void> {
    try {
      await withCallTimeout(client, () =>
        client.workflow.signalWithStart<typeof notifyBackend>(NOTIFICATIONS_WORKFLOW_TYPE, {
          ...startOf(tenantId),
          signal: notificationWaitsSignal,
        }),
      );
    } catch (error) {
      const leftOut = leftOutOf('');
      if (leftOut !== undefined) {
        warn('cannot start the delivery of notifications; the sweep retries', { tenantId, error, leftOut });
      }
    }
  }

  return {
    /**
     * Call it after the commit of a notification: delivers the tenant's pending ones. Returns at once and never throws, because
     * the sweep starts what this could not.
     */
    wake: (tenantId: string): void => {
      const signalled = signal(tenantId).finally(() => inFlight.delete(signalled));
      inFlight.add(signalled);
    },

    /** Starts the delivery unless it is running; adds no event to one that is. */
    resume: async (tenantId: string): Promise<void> => {
      await withCallTimeout(client, () =>
        client.workflow.start<typeof notifyBackend>(NOTIFICATIONS_WORKFLOW_TYPE, {
          ...startOf(tenantId),
          workflowIdConflictPolicy: 'USE_EXISTING',
        }),
      );
    },

    /** Resolves when no call of `wake` is in flight. */
    async close(): Promise<void> {
      await Promise.all(inFlight);
    },
  };
}

/** One per Namespace; it never ends. */
export async function startSweep(client: Client, taskQueue = ONBOARDING_TASK_QUEUE): Promise<void> {
  await withCallTimeout(client, () =>
    client.workflow.start<typeof sweepRegister>(SWEEP_WORKFLOW_TYPE, {
      workflowId: SWEEP_WORKFLOW_ID,
      taskQueue,
      workflowIdConflictPolicy: 'USE_EXISTING',
      staticSummary: 'Starts lost notifications and records lost ends of onboardings',
      args: [],
    }),
  );
}
