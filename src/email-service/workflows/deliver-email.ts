import { ActivityCancellationType, proxyActivities, workflowInfo, type ActivityOptions } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { deliveriesTaskQueueOf } from './email-service-names.ts';

export interface DeliverEmailInput {
  readonly emailId: string;
}

export interface DeliverEmailResult {
  readonly emailId: string;
  readonly outcome: 'delivered' | 'bounced';
}

const options = {
  // Longer than an attempt: it asks servers for ten minutes, and the last one asked may take sixteen more.
  startToCloseTimeout: '30 minutes',
  // A killed Worker's email goes to another one after this; an attempt beats every two seconds.
  heartbeatTimeout: '10 seconds',
  // An attempt that is under way may still bring the receiver's answer.
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  // For what went wrong on this side. How long a receiver is given is told by each attempt, and ends with the email.
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute' },
} as const satisfies ActivityOptions;

/** Makes attempts until the email is delivered or bounced; the Activity's retries are the schedule. */
export async function deliverEmail({ emailId }: DeliverEmailInput): Promise<DeliverEmailResult> {
  const taskQueue = deliveriesTaskQueueOf(workflowInfo().taskQueue);
  const { attemptDelivery } = proxyActivities<Activities>({ ...options, taskQueue });
  const { outcome } = await attemptDelivery.executeWithOptions({ summary: `Deliver ${emailId}` }, [{ emailId }]);
  return { emailId, outcome };
}
