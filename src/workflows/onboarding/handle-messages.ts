import { ApplicationFailure, proxyActivities, setHandler, upsertSearchAttributes } from '@temporalio/workflow';
import type { DomainReport } from '../../onboarding/domain-report.ts';
import type { Activities } from '../../activities/index.ts';
import { counted } from '../../lib/counted.ts';
import { shown } from '../../lib/json-value.ts';
import { handleSignal } from '../../lib/workflow-waits/handle-signal.ts';
import { Stage } from '../../onboarding/stage.ts';
import { afterRequest, CHECKS_AT_ONCE, nextCheckAt } from '../../onboarding/check-allowance.ts';
import { type Extension, EXTENSION_HOURS_MIN, extensionFault } from '../../onboarding/extension-fault.ts';
import { VERIFICATION_WINDOW_HOURS_MAX } from '../../onboarding/input.ts';
import { checkOptions } from '../activity-options.ts';
import { checkNowUpdate, extendVerificationUpdate, onboardingStateQuery, providerReportedSignal } from '../messages.ts';
import { type OnboardingRun, requestsOf, stepInputOf } from './onboarding-run.ts';
import { showCheck, showDetails } from './show-stage.ts';
import { deadlineKey } from '../search-attributes.ts';

/** The caller waits for the answer, so there are no retries over hours. */
const checks = proxyActivities<Activities>({ ...checkOptions, scheduleToCloseTimeout: '2 minutes' });

const HOUR_MS = 3_600_000;
/** Far more than one onboarding receives: bounds the Workflow's memory. */
const EVENT_IDS_MAX = 1_000;
/** Longer than any provider's. */
const EVENT_ID_LENGTH_MAX = 255;
/** Callers within this interval share one check. */
const CHECK_INTERVAL_MS = 5_000;

/** Called before the first await, so that every message finds its handler. */
export function handleMessages(run: OnboardingRun): void {
  setHandler(onboardingStateQuery, () => run.onboarding, {
    description: 'The state of the onboarding: stage, DNS records, deadline, ids',
  });
  handleWakeUps(run);
  handleCheckNow(run);
  handleExtensions(run);
}

function handleWakeUps({ onboarding }: OnboardingRun): void {
  const seen = new Set<string>();
  handleSignal(
    providerReportedSignal,
    (wakeUp) => {
      const eventId = eventIdOf(wakeUp);
      if (eventId !== undefined) {
        if (seen.has(eventId)) return;
        seen.add(eventId);
        if (seen.size > EVENT_IDS_MAX) forgetOldest(seen);
      }
      onboarding.wakeUps++;
    },
    { description: 'A webhook arrived: check now' },
  );
}

function handleCheckNow(run: OnboardingRun): void {
  let check: Promise<DomainReport> | undefined;
  let checkedAt = 0;
  let allowance = 0;
  setHandler(
    checkNowUpdate,
    () => {
      allowance = afterRequest(allowance, Date.now());
      if (check === undefined || Date.now() - checkedAt > CHECK_INTERVAL_MS) {
        checkedAt = Date.now();
        check = checkNow(run);
      }
      return check;
    },
    {
      description: 'Check the DNS now and return what is still missing; without data',
      // A refused Update adds no event.
      validator: (...given: unknown[]) => {
        requireNoMore(given);
        requireAwaitingDomain(run);
        const nextAt = nextCheckAt(allowance);
        if (Date.now() < nextAt) refuseUntil(nextAt);
      },
    },
  );
}

async function checkNow(run: OnboardingRun): Promise<DomainReport> {
  const { onboarding, input } = run;
  const summary = `Check the DNS of ${input.domain} now`;
  const check = { ...stepInputOf(run), domainId: onboarding.domainId ?? '', depth: 'zone' } as const;
  const report = await checks.checkDomain.executeWithOptions({ summary, ...requestsOf(run) }, [check]);
  if (report.verified) run.verified = report;
  // The end of the wait clears what it showed; so does the end of the onboarding, which may have come meanwhile.
  const showsCause = !report.verified && onboarding.stage === Stage.awaitingDomain;
  showCheck(run, showsCause ? report : { records: report.records });
  return report;
}

function handleExtensions(run: OnboardingRun): void {
  const { onboarding } = run;
  setHandler(
    extendVerificationUpdate,
    ({ hours }) => {
      run.verificationDeadline += hours * HOUR_MS;
      const deadline = new Date(run.verificationDeadline);
      onboarding.verificationDeadline = deadline.toISOString();
      upsertSearchAttributes([{ key: deadlineKey, value: deadline }]);
      showDetails(onboarding);
      return { verificationDeadline: onboarding.verificationDeadline };
    },
    {
      description: 'Extend the verification window; data: {"hours":24,"by":"your name","reason":"why"}',
      validator: (extension: unknown, ...given: unknown[]) => {
        requireNoMore(given);
        const fault = extensionFault(extension);
        if (fault !== undefined) refuse(fault);
        requireAwaitingDomain(run);
        requireRoomFor(extension as Extension, run);
      },
    },
  );
}

function requireRoomFor({ hours }: Extension, { verificationDeadline, registeredAt }: OnboardingRun): void {
  if (Date.now() >= verificationDeadline) refuse('the verification window is over; the final check is running');
  const hoursLeft = VERIFICATION_WINDOW_HOURS_MAX - (verificationDeadline - registeredAt) / HOUR_MS;
  if (hours <= hoursLeft) return;
  const longest = `the verification window may last at most ${VERIFICATION_WINDOW_HOURS_MAX / 24} days, extensions included`;
  const allowed =
    hoursLeft < EXTENSION_HOURS_MIN ? 'no more' : `at most ${counted(Math.floor(hoursLeft), 'more hour')}`;
  refuse(`${longest}, so this one may last ${allowed}; found ${hours}`);
}

/**
 * An error here would fail the Workflow Task: any content means "check now", and a usable id serves to recognize a repetition.
 */
function eventIdOf(wakeUp: unknown): string | undefined {
  const { eventId } = (wakeUp ?? {}) as { eventId?: unknown };
  return typeof eventId === 'string' && eventId.length <= EVENT_ID_LENGTH_MAX ? eventId : undefined;
}

function forgetOldest(ids: Set<string>): void {
  const oldest = ids.values().next();
  if (oldest.done !== true) ids.delete(oldest.value);
}

/** The history would keep it: up to 2 MB each time. */
function requireNoMore(given: readonly unknown[]): void {
  const found = given.find((content) => content != null);
  if (found !== undefined) refuse(`expected no more data; found ${shown(found)}`);
}

function requireAwaitingDomain({ onboarding }: OnboardingRun): void {
  if (onboarding.stage !== Stage.awaitingDomain) {
    refuse(`the onboarding is not waiting for its domain; its stage is ${onboarding.stage}`);
  }
}

function refuseUntil(nextAtMs: number): never {
  const nextAt = new Date(nextAtMs).toISOString();
  const message = `this onboarding may have ${CHECKS_AT_ONCE} checks on request at once and one more each hour, beside its own; the next one is allowed at ${nextAt}`;
  throw ApplicationFailure.nonRetryable(message, 'UpdateTooSoon', nextAt);
}

function refuse(message: string): never {
  throw ApplicationFailure.nonRetryable(message, 'UpdateRefused');
}
