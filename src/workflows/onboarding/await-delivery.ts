import { proxyActivities, proxyLocalActivities, workflowInfo } from '@temporalio/workflow';
import type { EmailOutcome, SentEmail } from '../../activities/onboarding/send-first-email.ts';
import type { Activities } from '../../activities/index.ts';
import { bouncedMessage } from '../../onboarding/explained-bounce.ts';
import type { Bounce } from '../../onboarding/provider-event.ts';
import { DELIVERY_WINDOW_HOURS } from '../../onboarding/time-limits.ts';
import { Stage } from '../../onboarding/stage.ts';
import { pollUntil } from '../../lib/workflow-waits/poll-until.ts';
import { finalEmailCheckOptions, pollOptions, quickCheckOptions } from '../activity-options.ts';
import { pollsTaskQueue } from '../messages.ts';
import { OnboardingFailed } from './onboarding-failed.ts';
import { mayAskQuickly, type OnboardingRun, patienceOf, requestsOf, stepInputOf } from './onboarding-run.ts';
import { enterStage, listStage } from './show-stage.ts';
import { quickOrNull } from '../quick-then-patient.ts';

const polls = proxyActivities<Activities>(pollOptions);
const quickChecks = proxyLocalActivities<Activities>(quickCheckOptions);
const finalChecks = proxyActivities<Activities>(finalEmailCheckOptions);

/** Returns when the email is delivered. Throws F3, DeliveryUnconfirmed or, after an outage of a day, ProviderUnavailable. */
export async function awaitDelivery(
  run: OnboardingRun,
  email: SentEmail,
): Promise<{ emailId: string; deliveredAt: string | null }> {
  const { emailId } = email;
  const { recipient } = run.input.firstEmail;
  enterStage(run, Stage.awaitingDelivery);
  if (emailId === null) throw bounced(email.outcome.bounce, { emailId, recipient });
  const outcome = email.outcome ?? (await waitForOutcome(run, emailId)) ?? (await finalCheck(run, emailId));
  if (outcome.status === 'delivered') return { emailId, deliveredAt: outcome.deliveredAt };
  if (outcome.status === 'gone') {
    throw new OnboardingFailed({
      type: 'DeliveryUnconfirmed',
      message: `The provider accepted the email to ${recipient} and now reports that it does not exist`,
      details: { emailId, lastStatus: 'gone' },
    });
  }
  throw bounced(outcome.bounce, { emailId, recipient });
}

const bounced = (bounce: Bounce, email: { emailId: string | null; recipient: string }): OnboardingFailed =>
  new OnboardingFailed({
    type: 'EmailBounced',
    message: bouncedMessage(email.recipient, bounce),
    details: { ...email, ...bounce },
  });

/** Undefined after the delivery window. */
async function waitForOutcome(run: OnboardingRun, emailId: string): Promise<EmailOutcome | undefined> {
  const { input, onboarding } = run;
  const { recipient } = input.firstEmail;
  listStage(run);
  const waitingSince = Date.now();
  const deadline = waitingSince + DELIVERY_WINDOW_HOURS * 3_600_000;
  const final = await pollUntil({
    poll: () => {
      const summary = `Wait for the delivery to ${recipient}`;
      const where = requestsOf(run, pollsTaskQueue(workflowInfo().taskQueue));
      return polls.awaitEmailOutcome.executeWithOptions({ summary, ...where }, [
        { ...stepInputOf(run), emailId, waitingSince },
      ]);
    },
    checkOnce: () => checkOnce(run, emailId),
    wakeUps: () => onboarding.wakeUps,
    deadline: () => deadline,
    summary: () => `${DELIVERY_WINDOW_HOURS} hours for the delivery to ${recipient}`,
  });
  return final?.value;
}

/** Undefined if the status is not final, or the provider does not answer: the wait asks again. */
async function checkOnce(run: OnboardingRun, emailId: string): Promise<EmailOutcome | undefined> {
  if (!mayAskQuickly(run)) return undefined;
  const summary = `Check the delivery to ${run.input.firstEmail.recipient}`;
  const found = await quickOrNull(() =>
    quickChecks.checkEmail.executeWithOptions({ summary }, [{ ...stepInputOf(run), emailId }]),
  );
  return found?.outcome ?? undefined;
}

/** The window is over, but the provider may have been unreachable when the email reached its final status. */
async function finalCheck(run: OnboardingRun, emailId: string): Promise<EmailOutcome> {
  const { recipient } = run.input.firstEmail;
  const summary = `Final check of the delivery to ${recipient}`;
  const { status, outcome } = await finalChecks.checkEmail.executeWithOptions(
    { summary, ...requestsOf(run), ...patienceOf(run) },
    [{ ...stepInputOf(run), emailId }],
  );
  if (outcome !== null) return outcome;
  throw new OnboardingFailed({
    type: 'DeliveryUnconfirmed',
    message: `The email to ${recipient} was neither delivered nor bounced within ${DELIVERY_WINDOW_HOURS} hours`,
    details: { emailId, lastStatus: status },
  });
}
