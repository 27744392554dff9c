import { onboardingScenarios } from './onboarding/scenarios.ts';
import type { Scenario } from './scenario.ts';

/** In the order of the tables. */
export const scenarios: readonly Scenario[] = [...onboardingScenarios];
