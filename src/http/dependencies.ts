import type { FastifyBaseLogger } from 'fastify';
import type { AgentsMd } from '../client/agents-md/agents-md.ts';
import type { ApiToken } from '../lib/api-tokens.ts';
import type { Onboardings } from '../client/onboarding/onboardings.ts';
import type { PollWatch } from '../lib/temporal/watch-polls.ts';
import type { PlacedGap } from '../lib/temporal/setup/setup-gap.ts';
import type { NotificationDeliveries } from './routes/upkeep/notifications.ts';
import type { OnboardingViews } from '../client/onboarding/onboarding-views.ts';
import type { ApiKeyClaims } from '../store/onboarding/sql-api-key-claims.ts';
import type { Register } from '../store/onboarding/register.ts';
import type { WatchedDomains } from '../store/upkeep/sql-watched-domains.ts';
import type { SecretStore } from '../store/secret-store.ts';
import type { SetupLinks } from '../store/onboarding/setup-links.ts';
import type { WebhookReader } from '../onboarding/provider-event.ts';
import type { ProviderName } from '../onboarding/provider-name.ts';
import type { ProviderIntents } from '../store/onboarding/provider-intents.ts';
import type { ProviderEvents } from '../store/onboarding/provider-events.ts';
import type { Appearance } from './setup-page/appearance.ts';

interface SetupPageOptions {
  /** Undefined: the address on which the server listens. */
  readonly baseUrl: string | undefined;
  readonly appearance: Appearance;
}

export interface HttpDependencies {
  readonly onboardings: Onboardings;
  readonly views: OnboardingViews;
  readonly register: Pick<Register, 'addEvent' | 'events' | 'eventRange' | 'explainBounce' | 'get'>;
  readonly watchedDomains: Pick<WatchedDomains, 'get' | 'mute' | 'unmute'>;
  readonly claims: Pick<ApiKeyClaims, 'claim'>;
  readonly setupLinks: SetupLinks;
  readonly setupPage: SetupPageOptions;
  /** Whether a tenant's domain may have a reserved name, such as acme.test. */
  readonly allowReservedNames: boolean;
  readonly secrets: Pick<SecretStore, 'get'>;
  /** The notes of what may have been created in operators' accounts. */
  readonly intents: Pick<ProviderIntents, 'release'>;
  /** The webhooks of the operators' accounts; a provider's are accepted only if it has a reader. */
  readonly providerWebhooks: {
    readonly readers: Partial<Record<ProviderName, WebhookReader>>;
    readonly events: Pick<ProviderEvents, 'store'>;
  };
  /** Undefined when SENDOFF_NOTIFICATION_URL is not set. */
  readonly notifications?: NotificationDeliveries | undefined;
  /** Undefined when AGENTS_MD_CONTACT is not set. */
  readonly agentsMd?: AgentsMd | undefined;
  readonly apiTokens: readonly ApiToken[];
  /** Lists the missing setup, without which no Workflow can be started; rejects when Temporal does not answer. */
  readonly findSetupGaps: () => Promise<readonly PlacedGap[]>;
  /** Resolves with true when the database has committed a write, rejects when it cannot. */
  readonly checkDatabase: () => Promise<true>;
  /** Whether the Workers of this process run; absent in a process without any. */
  readonly areWorkersRunning?: (() => boolean) | undefined;
  /** Whether Temporal sees them; absent in a process without any. */
  readonly polls?: Pick<PollWatch, 'unseenOn' | 'isLost'> | undefined;
  readonly logger?: FastifyBaseLogger;
}
