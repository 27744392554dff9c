import { ActivityCancellationType, proxyActivities, workflowInfo, type ActivityOptions } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { deliveriesTaskQueueOf } from './email-service-names.ts';

const options = {
  // Longer than any attempt, which tries servers for 10 minutes and may spend 17 more on the last one.
  startToCloseTimeout: '30 minutes',
  // After this, another Worker retries a killed Worker's email; an attempt heartbeats every 2 seconds.
  heartbeatTimeout: '10 seconds',
  // A running attempt may still receive the server's reply.
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  // For faults on our side. After a deferral the attempt itself sets the delay, until the email expires.
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute' },
} as const satisfies ActivityOptions;

/** Attempts delivery until the email is delivered or bounced; the Activity's retries are the schedule. */
export async function deliverEmail({ emailId }: { readonly emailId: string }) {
  const taskQueue = deliveriesTaskQueueOf(workflowInfo().taskQueue);
  const { attemptDelivery } = proxyActivities<Activities>({ ...options, taskQueue });
  const { outcome } = await attemptDelivery.executeWithOptions({ summary: `Deliver ${emailId}` }, [{ emailId }]);
  return { emailId, outcome };
}
