import { isGrpcServiceError } from '@temporalio/client';
import type { Logger } from 'pino';
import { readConfig, readWorkerConfig, type WorkerConfig } from '../../config.ts';
import { readEmailServiceConfig } from '../../email-service/config.ts';
import { readEmailServiceNamespace } from '../../email-service/email-service-namespace.ts';
import { OtherInstallationError } from '../../client/upkeep/join-installation.ts';
import { createLogger } from '../../lib/create-logger.ts';
import { isDatabaseOutOfReach } from '../../lib/sql/database-error.ts';
import { SettingsError } from '../../lib/settings.ts';
import { startTracing, stopTracing } from '../../lib/tracing/tracing.ts';
import { RELEASE } from '../../lib/temporal/worker-release.ts';
import { readTemporalConfig } from '../../lib/temporal/temporal-config.ts';
import { NoTemporalServerError } from '../../lib/temporal/connect-client.ts';
import { OtherNamespaceError } from '../../lib/temporal/recognize-namespace.ts';
import type { MetricsExport } from '../../lib/temporal/temporal-runtime.ts';
import { NotSetUpError } from '../../lib/temporal/setup/require-setup.ts';
import { CommandError } from '../command-error.ts';
import { untilInterrupted } from '../until-interrupted.ts';

export type ProgramName = 'start' | 'server' | 'worker' | 'email-service';

/** Runs a program until SIGINT, SIGTERM or its failure. Logs go to stdout, one JSON object per line. */
export async function runProgram(name: ProgramName, environment: NodeJS.ProcessEnv): Promise<number> {
  const interrupted = untilInterrupted();
  const started = await Promise.race([startProgram(name, environment), interrupted]);
  if (typeof started === 'number') return started;
  try {
    await Promise.race([interrupted, ...('run' in started ? [started.run] : [])]);
  } catch (error) {
    // The caller gets what ended the program; what could not be closed after it is a warning.
    await started.stop().catch((closeError: unknown) => {
      process.emitWarning(closeError instanceof Error ? closeError : String(closeError));
    });
    await stopTracing();
    throw error;
  }
  await started.stop();
  await stopTracing();
  return 0;
}

/** Throws a CommandError that names the program and what keeps it from starting: Temporal with its address and Namespace, or the database with its setting. */
export async function startProgram(name: ProgramName, environment: NodeJS.ProcessEnv) {
  const temporal = readTemporalConfig(environment);
  try {
    return await start[name](environment, temporal);
  } catch (error) {
    if (error instanceof SettingsError) throw error;
    const { address = 'its default address' } = temporal.connectionOptions;
    const namespace = name === 'email-service' ? readEmailServiceNamespace(environment, temporal) : temporal.namespace;
    const where = isOfTemporal(error) ? ` with Temporal at ${address}, namespace ${namespace}` : '';
    const cause = isDatabaseOutOfReach(error) ? await ofDatabase(name, environment, error) : error;
    throw new CommandError(`Cannot start sendoff ${name}${where}`, { cause });
  }
}

async function ofDatabase(name: ProgramName, environment: NodeJS.ProcessEnv, error: unknown): Promise<Error> {
  const { configuredDatabase } = await import('../databases/program-databases.ts');
  const { unusableDatabase } = await import('../../lib/sql/sql-database.ts');
  const { url, setting } = configuredDatabase(name === 'email-service' ? name : 'orchestrator', environment);
  return unusableDatabase(url, { setting }, error);
}

/** Whether Temporal could not be reached, refused the connection, or has an unusable Namespace. */
function isOfTemporal(error: unknown): boolean {
  return (
    [NoTemporalServerError, NotSetUpError, OtherInstallationError, OtherNamespaceError].some(
      (of) => error instanceof of,
    ) ||
    isGrpcServiceError(error) ||
    // The SDK does not export the class of this error.
    (error instanceof Error && (error.name === 'TransportError' || isOfTemporal(error.cause)))
  );
}

type Temporal = ReturnType<typeof readTemporalConfig>;

// Each imports only what it runs, and then prepares its process: loading all of them takes a quarter longer.
const start = {
  start: async (environment: NodeJS.ProcessEnv, temporal: Temporal) => {
    const config = readConfig(environment);
    const { startOrchestrator } = await import('../../start.ts');
    return startOrchestrator(config, temporal, await prepared('sendoff', config, orchestrator));
  },
  server: async (environment: NodeJS.ProcessEnv, temporal: Temporal) => {
    const config = readConfig(environment);
    const { startServer } = await import('../../server.ts');
    // Its connection needs no Runtime, only its metrics do.
    const metrics = config.metricsAddress === undefined ? undefined : orchestrator;
    return startServer(config, temporal, await prepared('sendoff-server', config, metrics));
  },
  worker: async (environment: NodeJS.ProcessEnv, temporal: Temporal) => {
    const config = readWorkerConfig(environment);
    const { startWorker } = await import('../../worker.ts');
    await prepared('sendoff-worker', config, orchestrator);
    return startWorker(config, temporal);
  },
  'email-service': async (environment: NodeJS.ProcessEnv, temporal: Temporal) => {
    const config = readEmailServiceConfig(environment);
    const { startEmailService, startEmailServiceWorker } = await import('../../email-service/main.ts');
    const logger = await prepared('sendoff-email-service', config, emailService);
    if (config.role === 'worker') return startEmailServiceWorker(config, { logger, temporal });
    return startEmailService(config, {
      logger,
      temporal,
      announceOperatorToken: ({ token, source }) => {
        process.stderr.write(`Operator token, shown only once and stored in ${source}:\n${token}\n`);
      },
    });
  },
};

type MetricsOf = Pick<MetricsExport, 'program' | 'setting'>;
const orchestrator: MetricsOf = { program: 'orchestrator', setting: 'SENDOFF_METRICS_ADDRESS' };
const emailService: MetricsOf = { program: 'email-service', setting: 'EMAIL_SERVICE_METRICS_ADDRESS' };

/** Starts traces, and with `metrics` Temporal's Runtime, which exports them. @returns the logger of the process */
async function prepared(
  service: string,
  config: Pick<WorkerConfig, 'logLevel' | 'tracesEndpoint' | 'metricsAddress' | 'release'>,
  metrics: MetricsOf | undefined,
): Promise<Logger> {
  const { logLevel, tracesEndpoint: endpoint, metricsAddress: address, release } = config;
  const logger = createLogger(logLevel);
  await startTracing({ service, version: RELEASE, endpoint, logger });
  if (metrics !== undefined) {
    const { installTemporalRuntime } = await import('../../lib/temporal/temporal-runtime.ts');
    installTemporalRuntime(logger, { ...metrics, address, release });
  }
  return logger;
}
