import type { HttpDependencies } from '../../src/http/dependencies.ts';
import type { OnboardingView } from '../../src/client/onboarding-view.ts';
import { newOnboarding } from '../../src/onboarding/onboarding.ts';
import { createAppearance } from '../../src/http/setup-page/appearance.ts';
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
  register: { addEvent: never, events: never, eventRange: never, get: async () => undefined },
  claims: { claim: never },
  watchedDomains: { mute: never, unmute: never },
  setupLinks: { create: never, revoke: never, open: async () => undefined, versions: never },
  allowReservedNames: true,
  setupPage: { baseUrl: 'http://127.0.0.1:8080', appearance },
  secrets: memorySecretStore(),
  apiTokens: [],
  findSetupGaps: async () => [],
  checkDatabase: async () => true,
  ...overrides,
});

/** A running onboarding of acme that has just begun. */
export const runningView = (overrides: Partial<OnboardingView> = {}): OnboardingView => ({
  tenantId: 'acme',
  workflowId: 'onboarding/acme',
  runId: 'run-1',
  domain: 'acme.test',
  outcome: 'running',
  stage: 'issuingKey',
  stageSince: '2026-01-02T03:04:05.000Z',
  startedAt: '2026-01-02T03:04:05.000Z',
  endedAt: null,
  deadline: null,
  exit: null,
  needsAttention: null,
  checkedAt: null,
  nextCheckAt: null,
  waitingFor: [],
  onboarding: newOnboarding(validInput()),
  result: null,
  failure: null,
  remains: [],
  apiKey: { keyId: null, state: 'none', claimedAt: null, claimedBy: null },
  domainWatch: null,
  uiUrl: null,
  updatedAt: '2026-01-02T03:04:05.000Z',
  ageSeconds: 0,
  temporal: { reachable: true, workers: 'polling', checkedAt: '2026-01-02T03:04:05.000Z' },
  ...overrides,
});
