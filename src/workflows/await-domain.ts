import { proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { DomainCheckInput } from '../activities/domain-check.ts';
import type { Activities } from '../activities/index.ts';
import { inWords } from '../lib/duration.ts';
import { Stage } from '../onboarding/stage.ts';
import { checksBetween, nextDomainCheckMs } from '../onboarding/polling-schedule.ts';
import { pollUntil } from '../lib/waiting/poll-until.ts';
import { checkOptions, pollOptions } from './activity-options.ts';
import { pollsTaskQueue } from './messages.ts';
import { enterStage, OnboardingFailed, type OnboardingRun, showDetails, stepInputOf } from './onboarding-run.ts';

const HOUR_MS = 3_600_000;
/** How long after the deadline a look that is not conclusive is repeated before F1 is reported as it is. */
const SETTLE_MS = 24 * HOUR_MS;

/** A look at the DNS may take a minute. */
const LAST_LOOK_MS_MIN = 2 * 60_000;

const polls = proxyActivities<Activities>(pollOptions);
const looks = proxyActivities<Activities>(checkOptions);

/** Returns once the provider says verified, however long the tenant takes within the window; otherwise F1. */
export async function awaitDomain(run: OnboardingRun, domainId: string): Promise<void> {
  const { input, onboarding } = run;
  enterStage(run, Stage.awaitingDomain);
  const look = { ...stepInputOf(run), domainId };
  const waitingSince = run.registeredAt;
  let roundStartedAt = Date.now();
  const countInterruptedRound = (): void => {
    run.polls += checksBetween(roundStartedAt - waitingSince, Date.now() - waitingSince, nextDomainCheckMs);
    roundStartedAt = Date.now();
  };
  const verified = await pollUntil({
    poll: async (round) => {
      if (round > 1) countInterruptedRound();
      // A stage entered again after F2 must not meet the ids of the first time.
      const activityId = `await-domain-verified-${round + 1_000 * onboarding.timesNotVerified}`;
      const summary = `Wait for the DNS of ${input.domain}`;
      const taskQueue = pollsTaskQueue(workflowInfo().taskQueue);
      return polls.awaitDomainVerified.executeWithOptions({ activityId, summary, taskQueue }, [
        { ...look, waitingSince },
      ]);
    },
    notifications: () => onboarding.pokes,
    deadline: () => run.verificationDeadline,
    summary: `${inWords(run.verificationWindowMs)} for ${input.domain}`,
  });
  if (verified === undefined) {
    countInterruptedRound();
    await checkOnceMore(run, look);
  } else {
    run.polls += verified.value.polls;
    onboarding.records = verified.value.records ?? onboarding.records;
  }
  run.verifiedAfterMs = Date.now() - run.registeredAt;
}

/**
 * The window is over, which is not yet proof: returns if the domain is verified after all, throws F1 if it is not, and
 * ProviderUnavailable when the provider could not be asked for a day. Hints interrupt its pauses as they do the wait's.
 */
async function checkOnceMore(run: OnboardingRun, look: DomainCheckInput): Promise<void> {
  const { input, onboarding } = run;
  const waitingSince = Date.now();
  const settleUntil = waitingSince + SETTLE_MS;
  // Behind the look that finds a zone unsettled, so that the zone's silence is not taken for the provider's.
  const giveUpAt = settleUntil + HOUR_MS;
  const decided = await pollUntil({
    poll: (round) => {
      const activityId = `diagnose-domain-${round + 1_000 * onboarding.timesNotVerified}`;
      const summary = `The time for ${input.domain} is over: look once more`;
      // Rounds share the time. One that a late hint began still gets its look.
      const scheduleToCloseTimeout = Math.max(giveUpAt - Date.now(), LAST_LOOK_MS_MIN);
      return looks.diagnoseDomain.executeWithOptions({ activityId, summary, scheduleToCloseTimeout }, [
        { ...look, settleUntil, waitingSince },
      ]);
    },
    notifications: () => onboarding.pokes,
    // The Activity's own time ends before it, and its failure tells why nothing could be said.
    deadline: () => giveUpAt + HOUR_MS,
    summary: `A day for the last look at ${input.domain}`,
  });
  if (decided === undefined) {
    throw new OnboardingFailed({
      type: 'ProviderUnavailable',
      message: `No look at ${input.domain} came to an end in the day after its window`,
      details: { step: 'diagnoseDomain', lastError: 'every look was interrupted' },
    });
  }
  const report = decided.value;
  run.polls += 1;
  onboarding.records = report.records;
  showDetails(onboarding);
  if (report.verified) return;
  const windowHours = (run.verificationDeadline - run.registeredAt) / HOUR_MS;
  const wrong = report.records.filter((record) => record.required && record.status !== 'found');
  throw new OnboardingFailed({
    type: 'DomainVerificationTimedOut',
    message:
      `${input.domain} was not verified within ${inWords(windowHours * HOUR_MS)}. ${wrong.flatMap((record) => record.findings.map(({ fix }) => fix)).join('\n')}`.trim(),
    details: {
      domainId: look.domainId,
      windowHours,
      records: report.records,
      polls: run.polls,
      conclusive: report.conclusive && !report.published,
      lastObservedAt: report.lastObservedAt,
    },
  });
}
