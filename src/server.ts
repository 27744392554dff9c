import { Client } from '@temporalio/client';
import { pino, type Logger } from 'pino';
import { createSqlCheckStore } from './store/sql-check-store.ts';
import { openTogether } from './lib/closers.ts';
import type { Config } from './config.ts';
import { openDatabase } from './store/database.ts';
import { createAgentsMd } from './client/agents-md/agents-md.ts';
import { buildHttpApp } from './http/app.ts';
import { createBackendNotifications } from './client/backend-notifications.ts';
import { onboardingParts } from './client/onboarding-parts.ts';
import { createSqlApiKeyClaims } from './store/sql-api-key-claims.ts';
import { joinInstallation } from './client/join-installation.ts';
import { listen } from './lib/http/listen.ts';
import { shutDown } from './lib/http/shut-down.ts';
import { createSqlNotificationQueue } from './store/sql-notification-queue.ts';
import { createSqlRegister } from './store/sql-register.ts';
import { matchingSealer } from './store/matching-sealer.ts';
import { createSqlWatchedDomains } from './store/sql-watched-domains.ts';
import { createAppearance } from './http/setup-page/appearance.ts';
import { createSqlSetupLinks } from './store/sql-setup-links.ts';
import { createSqlSecretStore } from './store/sql-secret-store.ts';
import { proveWritable } from './lib/sql/sql-database.ts';
import { shownDatabaseUrl } from './lib/database-url.ts';
import { connectClient } from './lib/temporal/connect-client.ts';
import { findSetupGaps } from './lib/temporal/setup/find-setup-gaps.ts';
import { requireSetup } from './lib/temporal/setup/require-setup.ts';
import { searchAttributeKeys } from './workflows/search-attributes.ts';
import type { TemporalConfig } from './lib/temporal/temporal-config.ts';

export interface RunningServer {
  readonly url: string;
  stop(): Promise<void>;
}

/** Probes give up after a few seconds. */
const READY_TIMEOUT_MS = 2_000;

/**
 * Runs the orchestrator's HTTP API, which is stateless. Resolves once it listens; if it cannot, throws with nothing left open.
 */
export const startServer = (
  config: Config,
  temporal: TemporalConfig,
  logger: Logger = pino({ level: config.logLevel }),
): Promise<RunningServer> =>
  openTogether(async (closers) => {
    const appearance = createAppearance(config.setupPage);
    const connection = await connectClient(temporal.connectionOptions);
    closers.add(() => connection.close());
    await requireSetup(connection, temporal.namespace, searchAttributeKeys);
    const client = new Client({ connection, namespace: temporal.namespace });
    const database = await openDatabase(config.databaseUrl, config.databaseConnection);
    closers.add(() => database.destroy());
    await joinInstallation({ client, database, databaseUrl: shownDatabaseUrl(config.databaseUrl) });
    const sealer = await matchingSealer(config, database);
    const log = logger.child({ program: 'server' });
    const notifications = createBackendNotifications(client, {
      warn: (message, meta) => {
        log.warn(meta, message);
      },
    });
    closers.add(() => notifications.close());
    const register = createSqlRegister(database, {
      notify: config.notificationReceiver !== undefined,
      onNotification: notifications.wake,
    });
    const app = buildHttpApp({
      ...onboardingParts(client, {
        register,
        claims: createSqlApiKeyClaims(database, sealer),
        watchedDomains: createSqlWatchedDomains(database, register),
        uiUrl: config.temporalUiUrl,
      }),
      setupLinks: createSqlSetupLinks(database, config.secretKeys),
      setupPage: { baseUrl: config.setupPage.url ?? config.publicUrl, appearance },
      secrets: createSqlSecretStore(database, sealer),
      notifications: config.notificationReceiver && {
        queue: createSqlNotificationQueue(database),
        wake: notifications.wake,
      },
      agentsMd:
        config.agentsMd &&
        createAgentsMd(client, { checks: createSqlCheckStore(database), uiUrl: config.temporalUiUrl }),
      apiTokens: config.apiTokens,
      findSetupGaps: () =>
        connection.withDeadline(Date.now() + READY_TIMEOUT_MS, () =>
          findSetupGaps(connection, temporal.namespace, searchAttributeKeys),
        ),
      checkDatabase: () => proveWritable(database),
      logger: log,
    });
    closers.add(() => shutDown(app, config.shutdownDelayMs));
    const url = await listen(app, { ...config, settings: { host: 'SENDOFF_HOST', port: 'SENDOFF_PORT' } });
    return { url, stop: closers.close };
  });
