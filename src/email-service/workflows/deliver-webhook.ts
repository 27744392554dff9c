import { ActivityCancellationType, proxyActivities, workflowInfo, type ActivityOptions } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import type { PostWebhookInput } from '../activities/post-webhook.ts';
import { deliveriesTaskQueueOf } from './email-service-names.ts';

const options = {
  // 15 seconds for the receiver, the rest for the database.
  startToCloseTimeout: '30 seconds',
  // A running post may still be answered.
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  // For faults on our side. After a failed post the attempt itself sets the delay, up to the tenth attempt.
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute' },
} as const satisfies ActivityOptions;

/** Posts one event to one webhook until the receiver accepts it or all attempts have failed. */
export async function deliverWebhook({ eventId, webhookId }: PostWebhookInput) {
  const taskQueue = deliveriesTaskQueueOf(workflowInfo().taskQueue);
  const { postWebhook } = proxyActivities<Activities>({ ...options, taskQueue });
  const input = { eventId, webhookId };
  const { outcome } = await postWebhook.executeWithOptions({ summary: `Post ${eventId} to ${webhookId}` }, [input]);
  return { ...input, outcome };
}
