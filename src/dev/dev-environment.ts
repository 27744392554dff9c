import { readBackgroundNamespace } from '../background-namespace.ts';
import { createLogger } from '../lib/create-logger.ts';
import { openTogether } from '../lib/closers.ts';
import { readConfig } from '../config.ts';
import { openDatabase } from '../store/database.ts';
import { readEmailServiceConfig } from '../email-service/config.ts';
import { readEmailServiceNamespace } from '../email-service/email-service-namespace.ts';
import { startEmailService } from '../email-service/main.ts';
import { leaveInstallation } from '../client/upkeep/join-installation.ts';
import { startOrchestrator } from '../start.ts';
import { readSome, sharedSettings } from '../lib/settings.ts';
import { readTemporalConfig, type TemporalConfig } from '../lib/temporal/temporal-config.ts';
import { connectClient } from '../lib/temporal/connect-client.ts';
import { createClient } from '../lib/temporal/create-client.ts';
import { readDataConverter } from '../lib/temporal/payload-keys.ts';
import { installTemporalRuntime } from '../lib/temporal/temporal-runtime.ts';
import { searchAttributeKeys } from '../workflows/search-attributes.ts';
import { openDataFolder } from './data-folder.ts';
import type { LoopbackServer } from './serve-on-loopback.ts';
import { localEmailServiceSettings, localNotificationSecret, localOrchestratorSettings } from './local-settings.ts';
import { cacheFolder } from './temporal/cache-folder.ts';
import { freePort, portAnswers } from './temporal/free-port.ts';
import { startTemporal } from './temporal/start-temporal.ts';
import { startWorld } from './world/start-world.ts';

export type DevEnvironment = Awaited<ReturnType<typeof startDevEnvironment>>;

export interface DevEnvironmentOptions {
  readonly dataFolder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Takes one line about the current step of the start. */
  readonly report: (line: string) => void;
  /** Starts a proxy that the orchestrator calls in place of the email service at this URL. @default no proxy */
  readonly providerProxy?: ((emailServiceUrl: string) => Promise<LoopbackServer>) | undefined;
  /** More settings of the orchestrator. @default none */
  readonly settings?: Readonly<Record<string, string>> | undefined;
  /** Where notifications to the backend are posted. @default that of `settings` */
  readonly notifyUrl?: string | undefined;
  /** Whether the data folder is removed at the end: then a shared Namespace is left as well. @default false */
  readonly isTemporary?: boolean | undefined;
  /** Aborts the start: the started parts are stopped and its reason is thrown. */
  readonly signal?: AbortSignal | undefined;
}

/** Starts a local deployment: Temporal, the demo world with DNS and mail, the email service and the orchestrator. */
export const startDevEnvironment = ({
  dataFolder,
  environment: given,
  report,
  providerProxy,
  settings,
  notifyUrl,
  isTemporary = false,
  signal,
}: DevEnvironmentOptions) =>
  openTogether(async (closers) => {
    const environment = Object.fromEntries(Object.entries(given).filter(([, value]) => value?.trim() !== ''));
    const folder = await openDataFolder(dataFolder, freePort);
    const logFile = folder.inside('sendoff.log');
    const logger = createLogger(readSome(sharedSettings, ['LOG_LEVEL'], environment).LOG_LEVEL, logFile);
    installTemporalRuntime(logger);

    const keep = <Part extends { stop(): Promise<void> }>(part: Part): Part => {
      closers.add(() => part.stop());
      signal?.throwIfAborted();
      return part;
    };
    const connectionOptions = givenConnection(environment);
    const { namespace, emailServiceNamespace, backgroundNamespace } = namespacesOf(environment, connectionOptions);
    const temporal = keep(
      await startTemporal({
        ...{ environment, connectionOptions, namespace, report, signal },
        cacheFolder: cacheFolder(environment),
        dataFile: folder.inside('temporal.db'),
        otherNamespaces: [...new Set([emailServiceNamespace, backgroundNamespace])].filter(
          (other) => other !== namespace,
        ),
        searchAttributes: searchAttributeKeys,
        log: (line) => {
          logger.debug({ program: 'temporal' }, line);
        },
      }),
    );
    const dataConverter = readDataConverter(environment);
    const temporalConfig = {
      connectionOptions: connectionOptions ?? { address: temporal.address },
      ...{ namespace, dataConverter },
    };

    report('Starting a DNS server and a mail server');
    const world = keep(await startWorld(folder));

    report('Starting the email service');
    const emailServiceConfig = readEmailServiceConfig({
      ...localEmailServiceSettings(folder, world, { port: 0 }),
      EMAIL_SERVICE_TEMPORAL_NAMESPACE: emailServiceNamespace,
    });
    const emailService = keep(await startEmailService(emailServiceConfig, { logger, temporal: temporalConfig }));

    const { url: providerUrl } =
      providerProxy === undefined ? emailService : keep(await providerProxy(emailService.url));

    report('Starting the orchestrator');
    // If another program has taken the port, webhooks for earlier emails are lost, and polling replaces them.
    const port = (await portAnswers(folder.saved.serverPort)) ? await freePort() : folder.saved.serverPort;
    const config = readConfig({
      ...localOrchestratorSettings(folder, world, { port, providerUrl }),
      TEMPORAL_UI_URL: temporal.uiUrl,
      SENDOFF_BACKGROUND_TEMPORAL_NAMESPACE: backgroundNamespace,
      ...(notifyUrl !== undefined && { SENDOFF_NOTIFICATION_SECRET: localNotificationSecret(folder) }),
      ...settings,
      ...(notifyUrl !== undefined && { SENDOFF_NOTIFICATION_URL: notifyUrl }),
    });
    const receiver = config.notificationReceiver;
    if (isTemporary && environment['TEMPORAL_ADDRESS'] !== undefined)
      closers.add(() => leaveNamespaces(temporalConfig, [namespace, backgroundNamespace], config.databaseUrl));
    const orchestrator = keep(await startOrchestrator(config, temporalConfig, logger));
    folder.writeAddress({
      url: orchestrator.url,
      apiToken: folder.saved.apiToken,
      emailServiceUrl: emailService.url,
      dnsServer: world.dns.address,
      temporalAddress: temporal.address,
      temporalNamespace: namespace,
      emailServiceNamespace,
      backgroundNamespace,
      ...(receiver?.signingSecrets[0] !== undefined && { notificationSecret: receiver.signingSecrets[0] }),
    });
    const run = Promise.race([temporal.run, orchestrator.run, emailService.run]);
    // A caller that ignores `run` must not crash with an unhandled rejection.
    run.catch((error: unknown) => {
      logger.error({ err: error }, 'a part failed');
    });
    return {
      ...{ folder, world, temporal, temporalConfig, logFile },
      // Each may be the one of `temporal`.
      ...{ emailServiceNamespace, backgroundNamespace },
      apiUrl: orchestrator.url,
      emailServiceUrl: emailService.url,
      notifiesBackend: receiver !== undefined,
      /** Rejects when a part fails. */
      run,
      stop: closers.close,
    };
  });

/** Otherwise the next deployment, with a new database, could not start in these Namespaces. */
const leaveNamespaces = (
  { connectionOptions, dataConverter }: TemporalConfig,
  namespaces: readonly string[],
  databaseUrl: string,
): Promise<void> =>
  openTogether(async (closers) => {
    const connection = await connectClient(connectionOptions);
    closers.add(() => connection.close());
    const database = await openDatabase(databaseUrl);
    closers.add(() => database.destroy());
    for (const namespace of new Set(namespaces))
      await leaveInstallation({ client: createClient({ connection, namespace, dataConverter }), database });
    await closers.close();
  });

const NAMESPACE_DEFAULT = 'sendoff';

/** A server of TEMPORAL_ADDRESS may need TLS or an API key; our dev server needs neither. */
const givenConnection = (
  environment: DevEnvironmentOptions['environment'],
): TemporalConfig['connectionOptions'] | undefined =>
  environment['TEMPORAL_ADDRESS'] === undefined ? undefined : readTemporalConfig(environment).connectionOptions;

function namespacesOf(
  environment: DevEnvironmentOptions['environment'],
  connectionOptions: TemporalConfig['connectionOptions'] = {},
) {
  const namespace = environment['TEMPORAL_NAMESPACE'] ?? NAMESPACE_DEFAULT;
  const temporal = { connectionOptions, namespace };
  return {
    namespace,
    emailServiceNamespace: readEmailServiceNamespace(environment, temporal),
    backgroundNamespace: readBackgroundNamespace(environment, temporal),
  };
}
