// The wait for the tenant's DNS. It begins with one check in a Local Activity, and each webhook is followed by one: what it finds ends
// the wait in the same Workflow Task as the steps that follow. The poll, its Timer and its Search Attributes begin only after a first
// check that found nothing, so an onboarding that need not wait has 13 events. Temporal repeats a lost Workflow Task: the repetition
// passes the wait if the register has passed it, and returns an end that was recorded, so once the domain is verified a cancellation can
// come too late. Every wait ends: a final check that stays inconclusive for a day becomes F1 with `conclusive: false`.
import { CancellationScope, proxyActivities, proxyLocalActivities, workflowInfo } from '@temporalio/workflow';
import type { DomainVerificationInput, VerifiedDomain } from '../../activities/onboarding/domain-verification.ts';
import type { Activities } from '../../activities/index.ts';
import { inWords } from '../../lib/duration.ts';
import { Stage } from '../../onboarding/stage.ts';
import { checksBetween, nextDomainCheckMs } from '../../onboarding/polling-schedule.ts';
import { pollUntil } from '../../lib/waiting/poll-until.ts';
import { checkOptions, pollOptions, quickCheckOptions } from '../activity-options.ts';
import { pollsTaskQueue } from '../messages.ts';
import {
  afterWebhook,
  enterStage,
  listStage,
  OnboardingFailed,
  type OnboardingRun,
  showCheck,
  stepInputOf,
} from './onboarding-run.ts';
import { quickOrNull } from '../quick-then-patient.ts';

const HOUR_MS = 3_600_000;
/** How long an inconclusive final check is repeated before F1 is reported all the same. */
const SETTLE_MS = 24 * HOUR_MS;
/** A DNS check may take a minute. */
const FINAL_CHECK_MS_MIN = 2 * 60_000;

const quickChecks = proxyLocalActivities<Activities>(quickCheckOptions);
const polls = proxyActivities<Activities>(pollOptions);
const finalChecks = proxyActivities<Activities>(checkOptions);

/** Returns when the provider reports the domain as verified. Throws F1 after the verification window. */
export async function awaitDomain(run: OnboardingRun, domainId: string): Promise<void> {
  const { onboarding } = run;
  enterStage(run, Stage.awaitingDomain);
  const verified = (await checkOnce(run, domainId)) ?? (await waitForDomain(run, domainId));
  if (verified === undefined) {
    await finalCheck(run, domainId);
  } else {
    run.polls += verified.polls;
    onboarding.records = verified.records;
  }
  run.verifiedAfterMs = Date.now() - run.registeredAt;
}

/**
 * Null unless the domain is already verified. The Activity gets a requested cancellation as input and answers null: on replay a Local
 * Activity may end before the cancellation arrives, so only its recorded result may decide.
 */
function checkOnce(run: OnboardingRun, domainId: string): Promise<VerifiedDomain | null> {
  const { consideredCancelled: cancelRequested } = CancellationScope.current();
  const summary = `Check whether ${run.input.domain} is verified`;
  const check = { ...domainCheckOf(run, domainId), cancelRequested };
  return quickOrNull(() => quickChecks.checkDomainStatus.executeWithOptions({ summary }, [check]));
}

/** Undefined after the verification window. */
async function waitForDomain(run: OnboardingRun, domainId: string): Promise<VerifiedDomain | undefined> {
  const { input, onboarding } = run;
  listStage(run);
  const waitingSince = run.registeredAt;
  let roundStartedAt = Date.now();
  let isOver = false;
  const countInterruptedRound = (): void => {
    run.polls += checksBetween(roundStartedAt - waitingSince, Date.now() - waitingSince, nextDomainCheckMs);
    roundStartedAt = Date.now();
  };
  /** One round of the wait. A poll that finds another cause returns early, so that the Workflow shows it; the next one waits on. */
  const poll = async (round: number): Promise<VerifiedDomain> => {
    // The SDK's default id would do, but replay compares ids, and recorded histories hold this one.
    const roundId = `await-domain-verified-${round + 1_000 * onboarding.timesNotVerified}`;
    const summary = `Wait for the DNS of ${input.domain}`;
    const taskQueue = pollsTaskQueue(workflowInfo().taskQueue);
    for (let changes = 0; ; changes += 1) {
      const activityId = changes === 0 ? roundId : `${roundId}-changed-${changes}`;
      const known = run.causeChangesLeft > 0 ? { knownCause: run.shownCause } : {};
      const found = await polls.awaitDomainVerified.executeWithOptions({ activityId, summary, taskQueue }, [
        { ...domainCheckOf(run, domainId), waitingSince, ...known },
      ]);
      if (!('cause' in found)) return found;
      // This attempt was under way when a check ended the wait; the next one is not scheduled.
      if (isOver) continue;
      run.polls += found.polls;
      roundStartedAt = Date.now();
      showCheck(run, found);
    }
  };
  const verified = await pollUntil({
    poll: (round) => {
      if (round > 1) countInterruptedRound();
      return poll(round);
    },
    checkOnce: afterWebhook(run, async () => {
      const found = await checkOnce(run, domainId);
      if (found === null) return undefined;
      countInterruptedRound();
      isOver = true;
      return found;
    }),
    wakeUps: () => onboarding.wakeUps,
    deadline: () => run.verificationDeadline,
    summary: () => `${windowInWords(run)} for ${input.domain}`,
  });
  if (verified === undefined) countInterruptedRound();
  return verified?.value;
}

/** With the deadline as it is now: an extension moves it. */
const domainCheckOf = (run: OnboardingRun, domainId: string): DomainVerificationInput => ({
  ...stepInputOf(run),
  domainId,
  deadline: new Date(run.verificationDeadline).toISOString(),
});

/** All extensions included. */
const windowInWords = (run: OnboardingRun): string => inWords(run.verificationDeadline - run.registeredAt);

/**
 * The final check after the window. Returns if the domain is verified after all, throws F1 if it is not, and
 * ProviderUnavailable after an outage of a day. Wake-ups make it check at once, as during the wait.
 */
async function finalCheck(run: OnboardingRun, domainId: string): Promise<void> {
  const { input, onboarding } = run;
  const waitingSince = Date.now();
  const settleUntil = waitingSince + SETTLE_MS;
  // Later than the last inconclusive check, so that silent name servers are not reported as an unavailable provider.
  const giveUpAt = settleUntil + HOUR_MS;
  const decided = await pollUntil({
    poll: (round) => {
      const activityId = `diagnose-domain-${round + 1_000 * onboarding.timesNotVerified}`;
      const summary = `Final check of ${input.domain}`;
      // All rounds share one deadline; a round that starts late still gets two minutes for its check.
      const scheduleToCloseTimeout = Math.max(giveUpAt - Date.now(), FINAL_CHECK_MS_MIN);
      return finalChecks.diagnoseDomain.executeWithOptions({ activityId, summary, scheduleToCloseTimeout }, [
        { ...domainCheckOf(run, domainId), settleUntil, waitingSince },
      ]);
    },
    wakeUps: () => onboarding.wakeUps,
    // The Activity times out earlier, and its failure names the reason.
    deadline: () => giveUpAt + HOUR_MS,
    summary: () => `24 hours for the final check of ${input.domain}`,
  });
  if (decided === undefined) {
    throw new OnboardingFailed({
      type: 'ProviderUnavailable',
      message: `No final check of ${input.domain} completed within 24 hours after its verification window`,
      details: { step: 'diagnoseDomain', lastError: 'every check was interrupted' },
    });
  }
  const report = decided.value;
  run.polls += 1;
  // The wait is over, so no Search Attribute changes.
  showCheck(run, { records: report.records });
  if (report.verified) return;
  const windowHours = (run.verificationDeadline - run.registeredAt) / HOUR_MS;
  const wrong = report.records.filter((record) => record.required && record.status !== 'found');
  throw new OnboardingFailed({
    type: 'DomainVerificationTimedOut',
    message:
      `${input.domain} was not verified within ${windowInWords(run)}. ${wrong.flatMap((record) => record.findings.map(({ fix }) => fix)).join('\n')}`.trim(),
    details: {
      domainId,
      windowHours,
      records: report.records,
      polls: run.polls,
      conclusive: report.conclusive && !report.published,
      lastObservedAt: report.lastObservedAt,
    },
  });
}
