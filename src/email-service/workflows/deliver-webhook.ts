import { ActivityCancellationType, proxyActivities, workflowInfo, type ActivityOptions } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { deliveriesTaskQueueOf } from './email-service-names.ts';

export interface DeliverWebhookInput {
  readonly eventId: string;
  readonly webhookId: string;
}

export interface DeliverWebhookResult {
  readonly eventId: string;
  readonly webhookId: string;
  readonly outcome: 'delivered' | 'failed' | 'dropped';
}

const options = {
  // The receiver has 15 seconds; the rest is for the database.
  startToCloseTimeout: '30 seconds',
  // A post that is under way may still be answered.
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  // For what went wrong on this side. The receiver's schedule is told by each attempt, and ends after the tenth.
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute' },
} as const satisfies ActivityOptions;

/** Posts one event to one webhook until it is taken or the attempts are used up. */
export async function deliverWebhook({ eventId, webhookId }: DeliverWebhookInput): Promise<DeliverWebhookResult> {
  const taskQueue = deliveriesTaskQueueOf(workflowInfo().taskQueue);
  const { postWebhook } = proxyActivities<Activities>({ ...options, taskQueue });
  const input = { eventId, webhookId };
  const { outcome } = await postWebhook.executeWithOptions({ summary: `Post ${eventId} to ${webhookId}` }, [input]);
  return { ...input, outcome };
}
