import { getServers } from 'node:dns';
import type { Logger } from 'pino';
import { type ApiToken, UNNAMED } from '../lib/api-tokens.ts';
import { type Closers, openTogether } from '../lib/closers.ts';
import { createAuthoritativeResolver } from '../lib/dns/resolver/authoritative-resolver.ts';
import { findZones } from '../lib/dns/resolver/find-zones.ts';
import { addressPolicy } from '../lib/dns/address-policy.ts';
import { createHealthApp } from '../lib/http/create-health-app.ts';
import { listen } from '../lib/http/listen.ts';
import { shutDown } from '../lib/http/shut-down.ts';
import { shownDatabaseUrl } from '../lib/database-url.ts';
import { requireMatchingKey } from '../lib/require-matching-key.ts';
import { createSealer } from '../lib/sealing.ts';
import type { TemporalConfig } from '../lib/temporal/temporal-config.ts';
import { buildEmailService } from './http/app.ts';
import { healthRoutes, type HealthParts } from './http/routes/health-routes.ts';
import { type RunningBackground, startBackground } from './background/background.ts';
import { emailServiceNamespace } from './email-service-namespace.ts';
import { startInbound } from './inbound/start-inbound.ts';
import type { EmailServiceConfig } from './config.ts';
import { readOrMakeOperatorToken, type OperatorToken } from './auth/operator-token.ts';
import { openStore } from './store/open-store.ts';
import { sealedSecrets } from './store/sealed-secrets.ts';

export interface EmailServiceDependencies {
  readonly logger: Logger;
  /** Temporal settings of both programs: the Namespace is the orchestrator's. */
  readonly temporal: TemporalConfig;
  /** @default the system's clock */
  readonly now?: () => Date;
  /** Called once per database, when the operator token is generated. Show it to a person; do not log it. */
  readonly announceOperatorToken?: (made: OperatorToken) => void;
}

export interface RunningEmailService {
  readonly url: string;
  readonly operatorTokens: readonly ApiToken[];
  /** Where reports arrive; undefined if this process takes none. */
  readonly inboundPort: number | undefined;
  /** Resolves when the service has stopped. Rejects if a Worker fails; this process then delivers nothing more. */
  readonly run: Promise<void>;
  /** Answers pending requests, then lets Activities finish, then closes the database. */
  stop(): Promise<void>;
}

export interface RunningEmailServiceWorker extends Pick<RunningEmailService, 'inboundPort' | 'run' | 'stop'> {
  /** Undefined without a health port. */
  readonly healthUrl: string | undefined;
}

/** Healthy name servers answer in a tenth of this, and the first check follows within seconds. */
const FIND_ZONES_MS = 1_500;

/**
 * Opens the database, starts the Workers unless the role is `http`, and listens. If one of these fails, closes the others and
 * throws.
 */
export const startEmailService = (
  settings: EmailServiceConfig,
  dependencies: EmailServiceDependencies,
): Promise<RunningEmailService> =>
  openTogether(async (closers) => {
    const parts = await openParts(settings, dependencies, closers);
    const operatorTokens = settings.operatorTokens ?? [await storedOperatorToken(settings, dependencies)];
    const background = await startBackground({ ...parts, runsWorkers: settings.role !== 'http' });
    closers.add(() => background.stop());
    const app = await buildEmailService({
      ...parts,
      background,
      operatorTokens,
      findZones: (names) => findZones(parts.resolver, names, FIND_ZONES_MS),
    });
    closers.add(() => shutDown(app, settings.shutdownDelayMs));
    const url = await listen(app, {
      ...settings,
      settings: { host: 'EMAIL_SERVICE_HOST', port: 'EMAIL_SERVICE_PORT' },
    });
    const inboundPort = await takeReports(parts, background, closers);
    return { url, operatorTokens, inboundPort, run: background.run, stop: closers.close };
  });

/** The role `worker`: the same without the HTTP API and its operator token. */
export const startEmailServiceWorker = (
  settings: EmailServiceConfig,
  dependencies: EmailServiceDependencies,
): Promise<RunningEmailServiceWorker> =>
  openTogether(async (closers) => {
    const parts = await openParts(settings, dependencies, closers);
    const background = await startBackground({ ...parts, runsWorkers: true });
    closers.add(() => background.stop());
    const { host, healthPort: port } = settings;
    const healthUrl =
      port === undefined ? undefined : await answerProbes({ ...parts, background }, { host, port }, closers);
    const inboundPort = await takeReports(parts, background, closers);
    return { healthUrl, inboundPort, run: background.run, stop: closers.close };
  });

/** In any role: what is recorded is in the database. */
async function takeReports(
  parts: Awaited<ReturnType<typeof openParts>>,
  beginner: RunningBackground,
  closers: Closers,
): Promise<number | undefined> {
  const { inbound, hostname, pauseBounceRate } = parts.settings;
  const { port } = inbound;
  if (port === undefined) return undefined;
  const running = await startInbound({ ...parts, beginner, pauseBounceRate }, { ...inbound, port, hostname });
  closers.add(() => running.stop());
  return running.port;
}

/** The parts that every role needs. */
async function openParts(
  settings: EmailServiceConfig,
  { temporal, now = () => new Date(), logger }: EmailServiceDependencies,
  closers: Closers,
) {
  const databaseUrl = shownDatabaseUrl(settings.databaseUrl);
  const store = await openStore(settings.databaseUrl, settings.databaseConnection);
  closers.add(() => store.destroy());
  const sealer = createSealer(settings.encryptionKeys);
  await requireMatchingKey(sealer, sealedSecrets(store), {
    key: 'EMAIL_SERVICE_ENCRYPTION_KEY',
    database: 'EMAIL_SERVICE_DATABASE_URL',
    databaseUrl,
  });
  const resolver = createAuthoritativeResolver({
    resolvers: settings.dnsResolvers ?? getServers(),
    port: settings.dnsPort,
    mayAsk: addressPolicy(settings),
  });
  return {
    ...{ store, sealer, settings, resolver, logger, now },
    temporal: { ...temporal, namespace: emailServiceNamespace(settings.temporalNamespace, temporal) },
    databaseUrl,
  };
}

async function answerProbes(
  parts: HealthParts,
  at: { readonly host: string; readonly port: number },
  closers: Closers,
): Promise<string> {
  const app = createHealthApp('email service', (probed) => {
    healthRoutes(probed, parts);
  });
  closers.add(() => app.close());
  return listen(app, { ...at, settings: { host: 'EMAIL_SERVICE_HOST', port: 'EMAIL_SERVICE_HEALTH_PORT' } });
}

async function storedOperatorToken(
  { databaseUrl }: EmailServiceConfig,
  { announceOperatorToken }: EmailServiceDependencies,
): Promise<ApiToken> {
  const stored = await readOrMakeOperatorToken(`${databaseUrl.replace(/^file:/, '')}.operator-token`);
  // Announced before anything else can fail: the next start finds the file and does not announce it again.
  if (stored.isNew) announceOperatorToken?.(stored);
  return { name: UNNAMED, token: stored.token };
}
