import type { Logger } from 'pino';
import { createSqlCheckStore } from './store/agents-md/check-store.ts';
import { createSqlProducers } from './store/agents-md/sql-producers.ts';
import { type Closers, openTogether } from './lib/closers.ts';
import type { Config } from './config.ts';
import type { ApiToken } from './lib/api-tokens.ts';
import { createAgentsMd } from './client/agents-md/agents-md.ts';
import { buildHttpApp } from './http/app.ts';
import { onboardingParts } from './client/onboarding/onboarding-parts.ts';
import { createSqlApiKeyClaims } from './store/onboarding/sql-api-key-claims.ts';
import { listen } from './lib/http/listen.ts';
import { shutDown } from './lib/http/shut-down.ts';
import { createSqlNotificationQueue } from './store/upkeep/notification-queue.ts';
import { createSqlWatchedDomains } from './store/upkeep/sql-watched-domains.ts';
import { createAppearance } from './http/setup-page/appearance.ts';
import { createSqlSetupLinks } from './store/onboarding/setup-links.ts';
import { createSqlSecretStore } from './store/secret-store.ts';
import { connectClient } from './lib/temporal/connect-client.ts';
import type { PollWatch } from './lib/temporal/watch-polls.ts';
import { openOrchestratorParts, type OrchestratorParts } from './orchestrator-parts.ts';
import { createSqlProviderIntents } from './store/onboarding/provider-intents.ts';
import { createSqlProviderEvents } from './store/onboarding/provider-events.ts';
import { createResendWebhookReader } from './email-provider/adapters/resend/read-webhook.ts';
import { createSesWebhookReader } from './email-provider/adapters/ses/read-webhook.ts';
import type { HttpDependencies } from './http/dependencies.ts';
import type { TemporalConfig } from './lib/temporal/temporal-config.ts';

export interface RunningServer {
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Runs the orchestrator's HTTP API, which is stateless. Resolves once it listens; if it cannot, throws with nothing left open.
 */
export const startServer = (config: Config, temporal: TemporalConfig, logger: Logger): Promise<RunningServer> =>
  openTogether(async (closers) => {
    const warn = (message: string, meta: object): void => {
      logger.warn({ program: 'server', ...meta }, message);
    };
    const parts = await openOrchestratorParts(closers, { connect: connectClient, config, temporal, warn });
    return { url: await serve(closers, parts, { apiTokens: config.apiTokens, logger }), stop: closers.close };
  });

export interface ServeOptions {
  readonly apiTokens: readonly ApiToken[];
  readonly logger: Logger;
  /** Whether Workers of this process, on the same connection, may get the first Workflow Task of an onboarding at its start. */
  readonly requestEagerStart?: boolean;
  /** Whether the Workers of this process run; absent in a process without any. */
  readonly areWorkersRunning?: () => boolean;
  /** Whether Temporal sees them; absent in a process without any. */
  readonly polls?: PollWatch;
}

/** @returns the URL of the HTTP API, once it listens */
export async function serve(
  closers: Closers,
  parts: OrchestratorParts,
  { apiTokens, logger, requestEagerStart, areWorkersRunning, polls }: ServeOptions,
): Promise<string> {
  const { config, client, database, sealer, notifications, register } = parts;
  const { requireOwnNamespace, findSetupGaps, checkDatabase } = parts;
  const appearance = createAppearance(config.setupPage);
  const app = buildHttpApp({
    ...onboardingParts(client, {
      register,
      claims: createSqlApiKeyClaims(database, sealer),
      intents: createSqlProviderIntents(database),
      watchedDomains: createSqlWatchedDomains(database, register),
      uiUrl: config.temporalUiUrl,
      requireOwnNamespace,
      provider: config.provider,
      requestEagerStart,
    }),
    setupLinks: createSqlSetupLinks(database, config.secretKeys),
    setupPage: { baseUrl: config.setupPage.url ?? config.publicUrl, appearance },
    secrets: createSqlSecretStore(database, sealer),
    providerWebhooks: {
      readers: webhookReaders(config, (message) => {
        logger.warn(message);
      }),
      events: createSqlProviderEvents(database),
    },
    allowReservedNames: config.allowReservedNames,
    notifications: config.notificationReceiver && {
      queue: createSqlNotificationQueue(database),
      wake: notifications.wake,
    },
    agentsMd:
      config.agentsMd &&
      createAgentsMd(client, {
        checks: createSqlCheckStore(database),
        producers: createSqlProducers(database),
        requestsPerSecond: config.agentsMd.requestsPerSecond,
        publicBadges: config.agentsMd.publicBadges,
        uiUrl: config.temporalUiUrl,
      }),
    apiTokens,
    findSetupGaps,
    checkDatabase,
    areWorkersRunning,
    polls,
    logger: logger.child({ program: 'server' }),
  });
  closers.add(() => shutDown(app, config.shutdownDelayMs));
  return listen(app, { ...config, settings: { host: 'SENDOFF_HOST', port: 'SENDOFF_PORT' } });
}

/** Of the providers whose webhooks this server can tell from a stranger's. @param warn receives what the operator has to change there */
const webhookReaders = (
  { resendWebhookSecrets, accounts: { ses } }: Pick<Config, 'resendWebhookSecrets' | 'accounts'>,
  warn: (message: string) => void,
): HttpDependencies['providerWebhooks']['readers'] => ({
  ...(resendWebhookSecrets && { resend: createResendWebhookReader(resendWebhookSecrets) }),
  ...(ses && { ses: createSesWebhookReader({ ...ses, warn }) }),
});
