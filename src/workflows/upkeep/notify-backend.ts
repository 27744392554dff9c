// One Workflow per tenant, so that no tenant waits for another, and one Activity that the server retries, so that an outage of the
// backend adds no events.
import { proxyActivities, workflowInfo } from '@temporalio/workflow';
import { continueAsNew } from '../../lib/workflow-waits/continue-as-new.ts';
import type { NotificationActivities } from '../../activities/index.ts';
import { handleSignal } from '../../lib/workflow-waits/handle-signal.ts';
import { notificationOptions } from '../activity-options.ts';
import { notificationsTaskQueue, notificationWaitsSignal } from '../messages.ts';

/** Delivers a tenant's notifications to the backend one after the other, until none is left. */
export async function notifyBackend({ tenantId }: { readonly tenantId: string }): Promise<void> {
  let signals = 0;
  handleSignal(notificationWaitsSignal, () => {
    signals += 1;
  });
  const { sendNotification } = proxyActivities<NotificationActivities>({
    ...notificationOptions,
    taskQueue: notificationsTaskQueue(workflowInfo().taskQueue),
  });
  for (;;) {
    const signalsBefore = signals;
    const { remaining } = await sendNotification.executeWithOptions({ summary: `Notify the backend of ${tenantId}` }, [
      { tenantId },
    ]);
    // A Signal during the Activity may report a notification that it did not see.
    if (!remaining && signals === signalsBefore) return;
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof notifyBackend>({ tenantId });
  }
}
