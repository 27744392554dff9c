import { onboardingScenarios } from './onboarding/scenarios.ts';
import { emailScenarios } from './email/scenarios.ts';
import { growthScenarios } from './growth/scenarios.ts';
import { providerScenarios } from './provider/scenarios.ts';
import { waitingScenarios } from './waiting/scenarios.ts';
import type { Scenario } from './scenario.ts';

/** In the order of the tables. */
export const scenarios: readonly Scenario[] = [
  ...onboardingScenarios,
  ...emailScenarios,
  ...waitingScenarios,
  ...providerScenarios,
  ...growthScenarios,
];
