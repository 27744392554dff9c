import type { OnboardingView } from '../../../src/client/onboarding/onboarding-view.ts';
import type { Mistake } from '../../../src/onboarding/attention.ts';
import type { DnsRecord } from '../../../src/onboarding/dns-record.ts';
import { newOnboarding, type Onboarding } from '../../../src/onboarding/onboarding.ts';
import type { DomainWatchView } from '../../../src/store/upkeep/watched-domains.ts';
import { spfRecord } from '../../onboarding/dns-operators/records.ts';
import { runningView } from '../../support/http-dependencies.ts';
import { validInput } from '../../support/valid-input.ts';
import { Stage } from '../../../src/onboarding/stage.ts';

export const AT = '2026-11-22T10:00:00.000Z';
export const DEADLINE = '2026-11-25T10:00:00.000Z';

export const mistake: Mistake = {
  code: 'host_doubled',
  name: 'bounce.acme.test.acme.test',
  purpose: 'spf',
  fix: 'Enter the host bounce instead of the full name',
};

export const spf: DnsRecord = {
  ...spfRecord,
  ...{ name: 'bounce.acme.test', host: 'bounce', zone: 'acme.test', value: 'v=spf1 ip4:192.0.2.1 -all' },
};

/** An onboarding that waits for its domain. */
export function waitingView(
  changes: Partial<OnboardingView> = {},
  onboardingChanges: Partial<Onboarding> = {},
): OnboardingView {
  const onboarding: Onboarding = {
    ...newOnboarding(validInput()),
    stage: Stage.awaitingDomain,
    stages: [{ stage: Stage.awaitingDomain, at: AT }],
    ...onboardingChanges,
  };
  return runningView({
    stage: onboarding.stage,
    stageSince: AT,
    startedAt: AT,
    deadline: DEADLINE,
    onboarding,
    apiKey: { keyId: 'key_1', state: 'held', claimedAt: null, claimedBy: null },
    updatedAt: AT,
    ageSeconds: 3,
    ...changes,
  });
}

/** The watch of a verified domain. */
export const watchView = (changes: Partial<DomainWatchView> = {}): DomainWatchView => ({
  ...{ state: 'ok', stateSince: AT, suspicion: null, findings: [], muted: [] },
  ...{ checkedAt: AT, nextCheckAt: DEADLINE, problem: null },
  ...changes,
});
