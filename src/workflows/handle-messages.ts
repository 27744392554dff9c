import { ApplicationFailure, proxyActivities, setHandler } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { Stage } from '../onboarding/onboarding.ts';
import { lookOptions } from './activity-options.ts';
import { checkNowUpdate, extendVerificationUpdate, onboardingStateQuery, providerReportedSignal } from './messages.ts';
import { showDetails, type OnboardingRun } from './onboarding-run.ts';

/** Somebody waits for the answer: no retries over hours. */
const looks = proxyActivities<Activities>({ ...lookOptions, scheduleToCloseTimeout: '2 minutes' });

/** More event ids than one onboarding ever sees; a receiver gone wild cannot fill the Workflow's memory. */
const EVENT_IDS_MAX = 1_000;
const EXTENSION_HOURS_MAX = 30 * 24;

/** Registered before anything is awaited, so that no message finds the Workflow without its handlers. */
export function handleMessages(run: OnboardingRun): void {
  const { onboarding, input, attemptId } = run;
  setHandler(onboardingStateQuery, () => onboarding, {
    description: 'The whole state: stage, DNS records, deadline, ids',
  });

  const seen = new Set<string>();
  setHandler(
    providerReportedSignal,
    ({ eventId }) => {
      if (seen.has(eventId) || seen.size >= EVENT_IDS_MAX) return;
      seen.add(eventId);
      onboarding.pokes++;
    },
    { description: 'A webhook arrived: look now' },
  );

  setHandler(
    checkNowUpdate,
    async () => {
      const domainId = onboarding.domainId ?? '';
      const summary = `Look at the DNS of ${input.domain} now`;
      const report = await looks.checkDomain.executeWithOptions({ summary }, [
        { tenantId: input.tenantId, attemptId, domainId },
      ]);
      onboarding.records = report.records;
      onboarding.pokes++;
      showDetails(onboarding);
      return report;
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
      run.verificationDeadline += hours * 3_600_000;
      onboarding.verificationDeadline = new Date(run.verificationDeadline).toISOString();
      showDetails(onboarding);
      return { verificationDeadline: onboarding.verificationDeadline };
    },
    {
      description: 'Give the tenant more time for the DNS',
      validator: ({ hours, by, reason }) => {
        requireAwaitingDomain(run);
        if (!(hours > 0 && hours <= EXTENSION_HOURS_MAX))
          refuse(`hours must be above 0 and at most ${EXTENSION_HOURS_MAX}`);
        // Both stay in the history: who gave more time, and why.
        if (!by || !reason) refuse('by and reason must say who extends the window and why');
      },
    },
  );
}

function requireAwaitingDomain({ onboarding }: OnboardingRun): void {
  if (onboarding.stage !== Stage.awaitingDomain) {
    refuse(`the onboarding does not wait for its domain; its stage is ${onboarding.stage}`);
  }
}

function refuse(message: string): never {
  throw ApplicationFailure.nonRetryable(message, 'UpdateRefused');
}
