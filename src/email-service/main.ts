import { getServers } from 'node:dns';
import type { Logger } from 'pino';
import { openTogether } from '../lib/closers.ts';
import { createAuthoritativeResolver } from '../lib/dns/resolver/authoritative-resolver.ts';
import { findZones } from '../lib/dns/resolver/find-zones.ts';
import { addressPolicy } from '../lib/dns/public-address.ts';
import { listen } from '../lib/http/listen.ts';
import { shownDatabaseUrl } from '../lib/database-url.ts';
import { requireMatchingKey } from '../lib/require-matching-key.ts';
import { createSealer } from '../lib/sealing.ts';
import type { TemporalConfig } from '../lib/temporal/temporal-config.ts';
import { buildEmailService } from './http/app.ts';
import { startBackground } from './background/background.ts';
import { emailServiceNamespace } from './email-service-namespace.ts';
import type { EmailServiceConfig } from './config.ts';
import { readOrMakeOperatorToken, type OperatorToken } from './auth/operator-token.ts';
import { openStore } from './store/open-store.ts';
import { sealedSecrets } from './store/sealed-secrets.ts';

export interface EmailServiceDependencies {
  readonly logger: Logger;
  /** Of both programs: its Namespace is the orchestrator's. */
  readonly temporal: TemporalConfig;
  /** @default the system's clock */
  readonly now?: () => Date;
  /** Called once per database, when the operator token is generated. Show it to a person; do not log it. */
  readonly announceOperatorToken?: (made: OperatorToken) => void;
}

export interface RunningEmailService {
  readonly url: string;
  readonly operatorToken: OperatorToken;
  /** Resolves when the Workers have stopped. Rejects if one fails; nothing is delivered after that. */
  readonly run: Promise<void>;
  /** Answers pending requests, then lets Activities finish, then closes the database. */
  stop(): Promise<void>;
}

/** Healthy name servers answer in a tenth of this, and the first check follows within seconds. */
const FIND_ZONES_MS = 1_500;

/** Opens the database, starts the Workers and listens. If one of these fails, closes the others and throws. */
export const startEmailService = (
  settings: EmailServiceConfig,
  { temporal, now = () => new Date(), announceOperatorToken, ...dependencies }: EmailServiceDependencies,
): Promise<RunningEmailService> =>
  openTogether(async (closers) => {
    const logger = redactingLogger(dependencies.logger);
    const store = await openStore(settings.databaseUrl, settings.databaseConnection);
    closers.add(() => store.destroy());
    const operatorToken = await operatorTokenOf(settings);
    // Announced before anything else can fail: the next start finds the file and does not announce it again.
    if (operatorToken.isNew) announceOperatorToken?.(operatorToken);
    const sealer = createSealer(settings.encryptionKeys);
    await requireMatchingKey(sealer, sealedSecrets(store), {
      key: 'EMAIL_SERVICE_ENCRYPTION_KEY',
      database: 'EMAIL_SERVICE_DATABASE_URL',
      databaseUrl: shownDatabaseUrl(settings.databaseUrl),
    });
    const resolver = createAuthoritativeResolver({
      resolvers: settings.dnsResolvers ?? getServers(),
      port: settings.dnsPort,
      mayAsk: addressPolicy(settings.allowPrivateAddresses),
    });
    const background = await startBackground({
      ...{ store, sealer, settings, resolver, logger, now },
      temporal: { ...temporal, namespace: emailServiceNamespace(settings.temporalNamespace, temporal) },
      orchestratorNamespace: temporal.namespace,
    });
    closers.add(() => background.stop());
    const app = await buildEmailService({
      store,
      sealer,
      settings,
      background,
      operatorToken: operatorToken.token,
      findZones: (names) => findZones(resolver, names, FIND_ZONES_MS),
      now,
      logger,
    });
    closers.add(() => app.close());
    const url = await listen(app, {
      ...settings,
      settings: { host: 'EMAIL_SERVICE_HOST', port: 'EMAIL_SERVICE_PORT' },
    });
    return { url, operatorToken, run: background.run, stop: closers.close };
  });

async function operatorTokenOf({ operatorToken, databaseUrl }: EmailServiceConfig): Promise<OperatorToken> {
  if (operatorToken !== undefined) return { token: operatorToken, source: 'settings', isNew: false };
  return readOrMakeOperatorToken(`${databaseUrl.replace(/^file:/, '')}.operator-token`);
}

/** Redacted in case they are logged by accident; no code logs bodies or headers. */
const SECRET_FIELDS = ['authorization', 'token', 'signing_secret', 'operatorToken', 'privateKey', 'encryptionKeys'];
const DEPTHS = ['', '*.', '*.*.'];

/** The same logger with secret fields redacted. */
export const redactingLogger = (logger: Logger): Logger =>
  logger.child({}, { redact: DEPTHS.flatMap((depth) => SECRET_FIELDS.map((field) => `${depth}${field}`)) });
