import type { HttpDependencies } from '../../src/http/dependencies.ts';
import { onboardingView, type OnboardingView } from '../../src/client/onboarding/onboarding-view.ts';
import { temporalUi } from '../../src/client/temporal-ui.ts';
import { newOnboarding } from '../../src/onboarding/onboarding.ts';
import { newRecord } from '../../src/onboarding/onboarding-record.ts';
import type { StoredRecord } from '../../src/store/onboarding/register.ts';
import { createAppearance } from '../../src/http/setup-page/appearance.ts';
import { API_TOKEN } from './http-requests.ts';
import { validInput } from './valid-input.ts';
import { memorySecretStore } from './scripted-provider.ts';

const never = (): never => {
  throw new Error('unexpected call about an onboarding');
};

export const appearance = createAppearance({ name: 'Example', logo: undefined, color: undefined, support: undefined });

/** Of an HTTP API that no test asks about onboardings, apart from what it overrides. */
export const httpDependencies = (overrides: Partial<HttpDependencies> = {}): HttpDependencies => ({
  onboardings: { start: never, restart: never, cancel: never, checkNow: never, extend: never, wakeUp: never },
  views: { get: never, list: never, of: never },
  register: { addEvent: never, events: never, eventRange: never, explainBounce: never, get: async () => undefined },
  claims: { claim: never },
  watchedDomains: { get: never, mute: never, unmute: never },
  setupLinks: { create: never, revoke: never, open: async () => undefined },
  intents: { release: never },
  providerWebhooks: { readers: {}, events: { store: never } },
  allowReservedNames: true,
  setupPage: { baseUrl: 'http://127.0.0.1:8080', appearance },
  secrets: memorySecretStore(),
  apiTokens: [{ name: 'backend', token: API_TOKEN }],
  findSetupGaps: async () => [],
  checkDatabase: async () => true,
  ...overrides,
});

const AT = '2026-01-02T03:04:05.000Z';
const begun: StoredRecord = {
  ...{ ...newRecord, tenantId: 'acme', attemptId: 'run-1', runId: 'run-1', startedAt: AT, startedWith: null },
  ...{ onboarding: newOnboarding(validInput()), stageSince: AT, updatedAt: AT },
};

/** A running onboarding of acme that has just begun. */
export const runningView = (overrides: Partial<OnboardingView> = {}): OnboardingView => ({
  ...onboardingView(begun, {
    ...{
      claim: undefined,
      release: undefined,
      watched: undefined,
      ui: temporalUi(undefined, 'default'),
      nowMs: Date.parse(AT),
    },
    temporal: { reachable: true, workers: 'polling', checkedAt: AT },
  }),
  ...overrides,
});
