import type { Client } from '@temporalio/client';
import type { ApiKeyClaims } from '../../store/onboarding/sql-api-key-claims.ts';
import type { ProviderIntents } from '../../store/onboarding/provider-intents.ts';
import type { Register } from '../../store/onboarding/register.ts';
import type { WatchedDomains } from '../../store/upkeep/sql-watched-domains.ts';
import { createOnboardingExecutions } from './onboarding-executions.ts';
import { createOnboardingViews } from './onboarding-views.ts';
import { createOnboardings, type OnboardingsParts } from './onboardings.ts';
import { createTemporalPresence } from '../temporal-presence.ts';
import { temporalUi } from '../temporal-ui.ts';

interface Stores {
  readonly register: Register;
  readonly claims: ApiKeyClaims;
  readonly intents: ProviderIntents;
  readonly watchedDomains: WatchedDomains;
}

export type OnboardingParts = ReturnType<typeof onboardingParts>;

/** The requests of the HTTP API to onboardings, its views of them, and the stores of both. */
export function onboardingParts(
  client: Client,
  parts: Stores & Omit<OnboardingsParts, 'executions' | 'presence'> & { readonly uiUrl: string | undefined },
) {
  const { register, claims, intents, watchedDomains, uiUrl, ...options } = parts;
  const executions = createOnboardingExecutions(client, register);
  const presence = createTemporalPresence(client, options);
  const ui = temporalUi(uiUrl, client.options.namespace);
  return {
    onboardings: createOnboardings(client, { register, executions, presence, ...options }),
    views: createOnboardingViews({ register, claims, intents, watchedDomains, executions, presence, ui }),
    ...{ executions, register, claims, intents, watchedDomains },
  };
}
