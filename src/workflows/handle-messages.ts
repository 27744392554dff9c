import { ApplicationFailure, proxyActivities, setHandler } from '@temporalio/workflow';
import type { DomainReport } from '../activities/domain-check.ts';
import type { Activities } from '../activities/index.ts';
import { counted } from '../lib/counted.ts';
import { Stage } from '../onboarding/stage.ts';
import { type Extension, extensionFault } from '../onboarding/extension-fault.ts';
import { checkOptions } from './activity-options.ts';
import { checkNowUpdate, extendVerificationUpdate, onboardingStateQuery, providerReportedSignal } from './messages.ts';
import { type OnboardingRun, showDetails, stepInputOf } from './onboarding-run.ts';

/** Somebody waits for the answer: no retries over hours. */
const looks = proxyActivities<Activities>({ ...checkOptions, scheduleToCloseTimeout: '2 minutes' });

const HOUR_MS = 3_600_000;
/** More event ids than one onboarding ever sees; a receiver gone wild cannot fill the Workflow's memory. */
const EVENT_IDS_MAX = 1_000;
/** Longer than any provider's; what is longer is not remembered. */
const EVENT_ID_LENGTH_MAX = 255;
/** How close together two looks that somebody asks for may be. */
const LOOK_INTERVAL_MS = 5_000;
/** In all, from the registration on. */
const WINDOW_DAYS_MAX = 90;

/** Registered before anything is awaited, so that no message finds the Workflow without its handlers. */
export function handleMessages(run: OnboardingRun): void {
  const { onboarding, input } = run;
  setHandler(onboardingStateQuery, () => onboarding, {
    description: 'The whole state: stage, DNS records, deadline, ids',
  });

  const seen = new Set<string>();
  setHandler(
    providerReportedSignal,
    (hint: unknown) => {
      const eventId = eventIdOf(hint);
      if (eventId !== undefined) {
        if (seen.has(eventId)) return;
        seen.add(eventId);
        // The oldest makes room: a new one is always a hint, and the distance of the looks is bounded in itself.
        if (seen.size > EVENT_IDS_MAX) forgetOldest(seen);
      }
      onboarding.pokes++;
    },
    { description: 'A webhook arrived: look now' },
  );

  // Everybody who asks within some seconds gets the same look: an impatient page must not fill the history.
  let look: Promise<DomainReport> | undefined;
  const lookNow = async (): Promise<DomainReport> => {
    const report = await looks.checkDomain.executeWithOptions({ summary: `Look at the DNS of ${input.domain} now` }, [
      { ...stepInputOf(run), domainId: onboarding.domainId ?? '' },
    ]);
    onboarding.records = report.records;
    // A look that found nothing needs no other one, and somebody's impatience must not slow down the hints that matter.
    if (report.verified) onboarding.pokes++;
    showDetails(onboarding);
    return report;
  };
  let lookedAt = 0;
  setHandler(
    checkNowUpdate,
    () => {
      if (look === undefined || Date.now() - lookedAt > LOOK_INTERVAL_MS) {
        lookedAt = Date.now();
        look = lookNow();
      }
      return look;
    },
    {
      description: 'Look at the DNS now and tell what is still missing',
      validator: () => {
        requireAwaitingDomain(run);
      },
    },
  );

  setHandler(
    extendVerificationUpdate,
    ({ hours }) => {
      run.verificationDeadline += hours * HOUR_MS;
      onboarding.verificationDeadline = new Date(run.verificationDeadline).toISOString();
      showDetails(onboarding);
      return { verificationDeadline: onboarding.verificationDeadline };
    },
    {
      description: 'Give the tenant more time for the DNS',
      validator: (extension: unknown) => {
        const fault = extensionFault(extension);
        if (fault !== undefined) refuse(fault);
        const { hours } = extension as Extension;
        requireAwaitingDomain(run);
        if (Date.now() >= run.verificationDeadline) refuse('the window is over, and the last look is being made');
        const latest = run.registeredAt + WINDOW_DAYS_MAX * 24 * HOUR_MS;
        if (run.verificationDeadline + hours * HOUR_MS > latest) {
          refuse(`the window is at most ${WINDOW_DAYS_MAX} days in all; found ${counted(hours, 'more hour')}`);
        }
      },
    },
  );
}

/**
 * A Signal cannot be refused, and an error here would fail the Workflow Task: whatever was sent is a hint to look now, and
 * only a usable id lets a repetition be recognized.
 */
function eventIdOf(hint: unknown): string | undefined {
  const { eventId } = (hint ?? {}) as { eventId?: unknown };
  return typeof eventId === 'string' && eventId.length <= EVENT_ID_LENGTH_MAX ? eventId : undefined;
}

function forgetOldest(ids: Set<string>): void {
  const oldest = ids.values().next();
  if (oldest.done !== true) ids.delete(oldest.value);
}

function requireAwaitingDomain({ onboarding }: OnboardingRun): void {
  if (onboarding.stage !== Stage.awaitingDomain) {
    refuse(`the onboarding does not wait for its domain; its stage is ${onboarding.stage}`);
  }
}

function refuse(message: string): never {
  throw ApplicationFailure.nonRetryable(message, 'UpdateRefused');
}
