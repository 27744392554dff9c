import type { Client } from '@temporalio/client';
import type { ProviderName } from '../../onboarding/provider-name.ts';
import type { ApiKeyClaims } from '../../store/onboarding/api-key-claims.ts';
import type { ProviderIntents } from '../../store/onboarding/provider-intents.ts';
import type { Register } from '../../store/onboarding/register.ts';
import type { WatchedDomains } from '../../store/upkeep/watched-domains.ts';
import { createOnboardingExecutions, type OnboardingExecutions } from './onboarding-executions.ts';
import { createOnboardingViews, type OnboardingViews } from './onboarding-views.ts';
import { createOnboardings, type Onboardings } from './onboardings.ts';
import { createTemporalPresence } from '../temporal-presence.ts';
import { temporalUi } from '../temporal-ui.ts';

/** The requests of the HTTP API to onboardings, its views of them, and the stores of both. */
export interface OnboardingParts {
  readonly onboardings: Onboardings;
  readonly views: OnboardingViews;
  readonly executions: OnboardingExecutions;
  readonly register: Register;
  readonly claims: ApiKeyClaims;
  readonly intents: ProviderIntents;
  readonly watchedDomains: WatchedDomains;
}

export function onboardingParts(
  client: Client,
  stores: {
    register: Register;
    claims: ApiKeyClaims;
    intents: ProviderIntents;
    watchedDomains: WatchedDomains;
    uiUrl: string | undefined;
    requireOwnNamespace?: (() => Promise<unknown>) | undefined;
    taskQueue?: string;
    provider?: ProviderName | undefined;
    requestEagerStart?: boolean | undefined;
  },
): OnboardingParts {
  const { register, claims, intents, watchedDomains, uiUrl, ...options } = stores;
  const executions = createOnboardingExecutions(client, register);
  const presence = createTemporalPresence(client, options);
  const ui = temporalUi(uiUrl, client.options.namespace);
  return {
    onboardings: createOnboardings(client, { register, executions, presence, ...options }),
    views: createOnboardingViews({ register, claims, intents, watchedDomains, executions, presence, ui }),
    executions,
    register,
    claims,
    intents,
    watchedDomains,
  };
}
