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

// Each imports only what it runs: loading all of them takes a quarter longer.
const start = {
  start: async (environment: NodeJS.ProcessEnv, temporal: ReturnType<typeof readTemporalConfig>) => {
    const config = readConfig(environment);
    const logger = createLogger(config.logLevel);
    const { startOrchestrator } = await import('../../start.ts');
    await trace('sendoff', config, logger);
    await installRuntime(logger, metricsOf(config));
    return startOrchestrator(config, temporal, logger);
  },
  server: async (environment: NodeJS.ProcessEnv, temporal: ReturnType<typeof readTemporalConfig>) => {
    const config = readConfig(environment);
    const logger = createLogger(config.logLevel);
    const { startServer } = await import('../../server.ts');
    await trace('sendoff-server', config, logger);
    // Its connection needs no Runtime, only its metrics do.
    if (config.metricsAddress !== undefined) await installRuntime(logger, metricsOf(config));
    return startServer(config, temporal, logger);
  },
  worker: async (environment: NodeJS.ProcessEnv, temporal: ReturnType<typeof readTemporalConfig>) => {
    const config = readWorkerConfig(environment);
    const { startWorker } = await import('../../worker.ts');
    const logger = createLogger(config.logLevel);
    await trace('sendoff-worker', config, logger);
    await installRuntime(logger, metricsOf(config));
    return startWorker(config, temporal);
  },
  'email-service': async (environment: NodeJS.ProcessEnv, temporal: ReturnType<typeof readTemporalConfig>) => {
    const config = readEmailServiceConfig(environment);
    const logger = createLogger(config.logLevel);
    const { startEmailService, startEmailServiceWorker } = await import('../../email-service/main.ts');
    await trace('sendoff-email-service', config, logger);
    await installRuntime(logger, {
      ...{ program: 'email-service', setting: 'EMAIL_SERVICE_METRICS_ADDRESS' },
      ...{ address: config.metricsAddress, release: config.release },
    });
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

const metricsOf = ({ metricsAddress: address, release }: WorkerConfig): MetricsExport => ({
  ...{ program: 'orchestrator', setting: 'SENDOFF_METRICS_ADDRESS' },
  ...{ address, release },
});

const trace = (service: string, { tracesEndpoint: endpoint }: Pick<WorkerConfig, 'tracesEndpoint'>, logger: Logger) =>
  startTracing({ service, version: RELEASE, endpoint, logger });

const installRuntime = async (logger: Logger, metrics: MetricsExport): Promise<void> => {
  (await import('../../lib/temporal/temporal-runtime.ts')).installTemporalRuntime(logger, metrics);
};
