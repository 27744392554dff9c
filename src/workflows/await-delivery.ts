import { proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { Stage } from '../onboarding/onboarding.ts';
import { pollUntil } from '../poll-until.ts';
import { pollOptions } from './activity-options.ts';
import { pollsTaskQueue } from './messages.ts';
import { enterStage, OnboardingFailed, type OnboardingRun } from './onboarding-run.ts';

const DELIVERY_WINDOW_HOURS = 72;

const polls = proxyActivities<Activities>(pollOptions);

/** Returns once the email is delivered; otherwise F3 or DeliveryUnconfirmed. */
export async function awaitDelivery(run: OnboardingRun, emailId: string): Promise<{ deliveredAt: string | null }> {
  const { input, onboarding } = run;
  const { recipient } = input.firstEmail;
  enterStage(run, Stage.awaitingDelivery);
  const waitingSince = Date.now();
  const deadline = waitingSince + DELIVERY_WINDOW_HOURS * 3_600_000;
  const outcome = await pollUntil({
    poll: (round) => {
      const activityId = `await-email-outcome-${round}`;
      const summary = `Wait for the delivery to ${recipient}`;
      const taskQueue = pollsTaskQueue(workflowInfo().taskQueue);
      return polls.awaitEmailOutcome.executeWithOptions({ activityId, summary, taskQueue }, [
        { tenantId: input.tenantId, emailId, waitingSince },
      ]);
    },
    pokes: () => onboarding.pokes,
    deadline: () => deadline,
    summary: `${DELIVERY_WINDOW_HOURS} hours for the delivery to ${recipient}`,
  });
  if (outcome === undefined) {
    throw new OnboardingFailed({
      type: 'DeliveryUnconfirmed',
      message: `The email to ${recipient} was neither delivered nor bounced within ${DELIVERY_WINDOW_HOURS} hours`,
      details: { emailId, lastStatus: 'queued' },
    });
  }
  if (outcome.value.status === 'delivered') return { deliveredAt: outcome.value.deliveredAt };
  const { bounce } = outcome.value;
  throw new OnboardingFailed({
    type: 'EmailBounced',
    message: `The email to ${recipient} bounced: ${bounce.reason}`,
    details: { emailId, recipient, ...bounce },
  });
}
