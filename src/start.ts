import type { Logger } from 'pino';
import type { Config } from './config.ts';
import { openTogether } from './lib/closers.ts';
import { connectWorker } from './lib/temporal/connect-worker.ts';
import type { TemporalConfig } from './lib/temporal/temporal-config.ts';
import { openOrchestratorParts } from './orchestrator-parts.ts';
import { type RunningServer, serve } from './server.ts';
import { type RunningWorker, runWorkers } from './worker.ts';

export type RunningOrchestrator = RunningServer & Pick<RunningWorker, 'run'>;

/**
 * Runs the server and the worker in one process on one connection. The server's answer to the start of an onboarding then brings
 * its first Workflow Task, which needs no poll. Resolves once it listens; if it cannot, throws with nothing left open.
 */
export const startOrchestrator = (
  config: Config,
  temporal: TemporalConfig,
  logger: Logger,
): Promise<RunningOrchestrator> =>
  openTogether(async (closers) => {
    const warn = (message: string, meta: object): void => {
      logger.warn(meta, message);
    };
    const parts = await openOrchestratorParts(closers, { connect: connectWorker, config, temporal, warn });
    const workers = await runWorkers(closers, parts, warn);
    const { areRunning: areWorkersRunning, polls } = workers;
    // An eager first Workflow Task goes to this process, whichever version is current.
    const requestEagerStart = config.release.version === undefined;
    const { apiTokens } = config;
    const url = await serve(closers, parts, { apiTokens, logger, requestEagerStart, areWorkersRunning, polls });
    return { url, run: workers.run, stop: closers.close };
  });
