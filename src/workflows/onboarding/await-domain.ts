// The wait for the tenant's DNS. It begins with one check in a Local Activity, and each webhook is followed by one: what it finds ends
// the wait in the same Workflow Task as the steps that follow. The poll, its Timer and its Search Attributes begin only after a first
// check that found nothing, so an onboarding that need not wait has 13 events. Temporal repeats a lost Workflow Task: the repetition
// passes the wait if the register has passed it, and returns an end that was recorded, so once the domain is verified a cancellation can
// come too late. Every wait ends: a final check that stays inconclusive for a day becomes F1 with `conclusive: false`.
import { CancellationScope, proxyActivities, proxyLocalActivities, sleep, workflowInfo } from '@temporalio/workflow';
import type { DomainCheckInput, Patience } from '../../activities/onboarding/check-domain.ts';
import type { Activities } from '../../activities/index.ts';
import { inWords } from '../../lib/duration.ts';
import { notVerifiedMessage } from '../../onboarding/failures.ts';
import type { DomainReport } from '../../onboarding/domain-report.ts';
import { Stage } from '../../onboarding/stage.ts';
import {
  ACCOUNT_PATIENCE_DAYS,
  ASK_ANYWAY_AFTER_MS,
  checksBetween,
  nextDomainCheckMs,
  PATIENCE_HOURS,
  pauseAfterAskMs,
} from '../../onboarding/time-limits.ts';
import { NOT_YET, pollUntil } from '../../lib/workflow-waits/poll-until.ts';
import { checkOptions, patientStepOptions, pollOptions, quickCheckOptions } from '../activity-options.ts';
import { pollsTaskQueue } from '../messages.ts';
import { OnboardingFailed } from './onboarding-failed.ts';
import { mayAskQuickly, type OnboardingRun, patienceOf, requestsOf, stepInputOf } from './onboarding-run.ts';
import { enterStage, listStage, showCheck } from './show-stage.ts';
import { quickOrNull } from '../quick-then-patient.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** How long an inconclusive final check is repeated before F1 is reported all the same. */
const SETTLE_MS = PATIENCE_HOURS * HOUR_MS;
/** A DNS check may take a minute. */
const FINAL_CHECK_MS_MIN = 2 * 60_000;

const quickChecks = proxyLocalActivities<Activities>(quickCheckOptions);
const polls = proxyActivities<Activities>(pollOptions);
const asks = proxyActivities<Activities>(patientStepOptions);
const finalChecks = proxyActivities<Activities>(checkOptions);

/** Returns when the provider reports the domain as verified. Throws F1 after the verification window. */
export async function awaitDomain(run: OnboardingRun, domainId: string): Promise<void> {
  const { onboarding } = run;
  const begunMs = Date.now() - run.registeredAt;
  const wakeUpsBefore = onboarding.wakeUps;
  run.verified = undefined;
  enterStage(run, Stage.awaitingDomain);
  const inWait = (await checkOnce(run, domainId)) ?? (await waitForDomain(run, domainId));
  // An estimate by the schedule: failed attempts of the poll leave nothing in the history.
  run.polls += checksBetween(begunMs, Date.now() - run.registeredAt, nextDomainCheckMs);
  run.polls += onboarding.wakeUps - wakeUpsBefore;
  onboarding.records = (inWait ?? (await finalCheck(run, domainId))).records;
  run.verifiedAfterMs = Date.now() - run.registeredAt;
}

/**
 * Null unless the domain is already verified. With patience, a report that it is not says that nothing else is new, either. The Activity gets a
 * requested cancellation as input and answers null: on replay a Local Activity may end before the cancellation arrives, so only its
 * recorded result may decide.
 */
async function checkOnce(run: OnboardingRun, domainId: string, patience?: Patience): Promise<DomainReport | null> {
  if (!mayAskQuickly(run)) return null;
  const { consideredCancelled: cancelRequested } = CancellationScope.current();
  const summary = `Check whether ${run.input.domain} is verified`;
  const depth = patience === undefined ? 'status' : 'records';
  const askedAt = patience && { askedAt: new Date().toISOString() };
  const check = { ...domainCheckOf(run, domainId, depth, patience), cancelRequested, ...askedAt };
  return quickOrNull(() => quickChecks.checkDomain.executeWithOptions({ summary }, [check]));
}

/** Undefined after the verification window. */
async function waitForDomain(run: OnboardingRun, domainId: string): Promise<DomainReport | undefined> {
  const { input, onboarding } = run;
  listStage(run);
  const poll: PollUnderWay = {};
  const verified = await pollUntil({
    poll: () => (mayAskQuickly(run) ? pollDomain(run, domainId, poll) : lookThenAsk(run, domainId)),
    checkOnce: async () => {
      const found = await checkOnce(run, domainId, patienceOfPoll(run));
      if (found?.verified !== false) return found ?? undefined;
      // A check for a caller may have shown another cause: then a new poll finds which one is there.
      if (patienceOfPoll(run).knownCause !== poll.knownCause) return undefined;
      showCheck(run, { records: found.records });
      return NOT_YET;
    },
    answer: () => run.verified,
    wakeUps: () => onboarding.wakeUps,
    deadline: () => run.verificationDeadline,
    summary: () => `${windowInWords(run)} for ${input.domain}`,
  });
  return verified?.value;
}

interface PollUnderWay {
  knownCause?: string | undefined;
}

const patienceOfPoll = (run: OnboardingRun): Patience => ({
  waitingSince: run.registeredAt,
  ...(run.causeChangesLeft > 0 && { knownCause: run.shownCause }),
});

/** One round of the wait. A check that finds another cause returns early, so that the Workflow shows it; the next one waits on. */
async function pollDomain(run: OnboardingRun, domainId: string, poll: PollUnderWay): Promise<DomainReport> {
  const { input } = run;
  const options = {
    summary: `Wait for the DNS of ${input.domain}`,
    taskQueue: pollsTaskQueue(workflowInfo().taskQueue),
  };
  for (;;) {
    const patience = patienceOfPoll(run);
    poll.knownCause = patience.knownCause;
    const check = domainCheckOf(run, domainId, 'records', patience);
    const found = await polls.checkDomain.executeWithOptions(options, [check]);
    if (found.verified) return found;
    // If a check has ended the round while this attempt was under way, there is no next one.
    if (!CancellationScope.current().consideredCancelled) showCheck(run, found);
  }
}

/**
 * One round of the wait at a provider that does not say what is wrong: it is asked once the zone shows every required record, then at growing
 * intervals, and otherwise once a day, because the look may be wrong.
 */
async function lookThenAsk(run: OnboardingRun, domainId: string): Promise<DomainReport> {
  const { input, registeredAt: waitingSince } = run;
  const look = {
    summary: `Look at the DNS of ${input.domain}`,
    taskQueue: pollsTaskQueue(workflowInfo().taskQueue),
  };
  let askAt = waitingSince + ASK_ANYWAY_AFTER_MS;
  for (let asked = 0; ;) {
    const check = domainCheckOf(run, domainId, 'look', { ...patienceOfPoll(run), askAt });
    const seen = await polls.checkDomain.executeWithOptions(look, [check]);
    if (!CancellationScope.current().consideredCancelled) showCheck(run, seen);
    if (!seen.published && Date.now() < askAt) continue;
    const found = await askProvider(run, domainId);
    if (found !== null) return { ...found, records: seen.published ? seen.records : found.records };
    askAt = Date.now() + ASK_ANYWAY_AFTER_MS;
    if (!seen.published) continue;
    await sleep(pauseAfterAskMs(asked), {
      summary: `Wait until ${String(input.provider)} has checked ${input.domain}`,
    });
    asked += 1;
  }
}

/** Null unless the domain is verified. */
function askProvider(run: OnboardingRun, domainId: string): Promise<DomainReport | null> {
  const { provider = '', domain } = run.input;
  const options = { summary: `Ask ${provider} whether ${domain} is verified`, ...requestsOf(run), ...patienceOf(run) };
  return asks.checkDomain.executeWithOptions(options, [domainCheckOf(run, domainId, 'status')]);
}

/** With the deadline as it is now: an extension moves it. */
const domainCheckOf = (
  run: OnboardingRun,
  domainId: string,
  depth: DomainCheckInput['depth'],
  patience?: Patience,
): DomainCheckInput => ({
  ...{ ...stepInputOf(run), domainId, depth },
  deadline: new Date(run.verificationDeadline).toISOString(),
  ...(patience && { patience }),
});

/** All extensions included. */
const windowInWords = (run: OnboardingRun): string => inWords(run.verificationDeadline - run.registeredAt);

/**
 * The final check after the window. Returns if the domain is verified after all, throws F1 if it is not, and
 * ProviderUnavailable after an outage of a day. Wake-ups make it check at once, as during the wait.
 */
async function finalCheck(run: OnboardingRun, domainId: string): Promise<DomainReport> {
  const { input, onboarding } = run;
  const waitingSince = Date.now();
  const settleUntil = waitingSince + SETTLE_MS;
  // Later than the last inconclusive check, so that silent name servers are not reported as an unavailable provider.
  const [giveUpAt, patience] =
    run.input.provider === undefined
      ? [settleUntil + HOUR_MS, inWords(SETTLE_MS + HOUR_MS)]
      : [waitingSince + ACCOUNT_PATIENCE_DAYS * DAY_MS, `${ACCOUNT_PATIENCE_DAYS} days`];
  const decided = await pollUntil({
    poll() {
      const summary = `Final check of ${input.domain}`;
      // All rounds share one deadline; a round that starts late still gets two minutes for its check.
      const scheduleToCloseTimeout = Math.max(giveUpAt - Date.now(), FINAL_CHECK_MS_MIN);
      const check = domainCheckOf(run, domainId, 'zone', { settleUntil, waitingSince });
      return finalChecks.checkDomain.executeWithOptions({ summary, scheduleToCloseTimeout, ...requestsOf(run) }, [
        check,
      ]);
    },
    answer: () => run.verified,
    wakeUps: () => onboarding.wakeUps,
    // The Activity times out earlier, and its failure names the reason.
    deadline: () => giveUpAt + HOUR_MS,
    summary: () => `${patience} for the final check of ${input.domain}`,
  });
  if (decided === undefined) {
    throw new OnboardingFailed({
      type: 'ProviderUnavailable',
      message: `No final check of ${input.domain} completed within ${patience} after its verification window`,
      details: { step: 'checkDomain', lastError: 'every check was interrupted' },
    });
  }
  const report = decided.value;
  run.polls += 1;
  // The wait is over, so no Search Attribute changes.
  showCheck(run, { records: report.records });
  if (report.verified) return report;
  const windowHours = (run.verificationDeadline - run.registeredAt) / HOUR_MS;
  throw new OnboardingFailed({
    type: 'DomainVerificationTimedOut',
    message: notVerifiedMessage(input.domain, windowInWords(run), report.records),
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
