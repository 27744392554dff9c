// One Temporal Runtime per process, which logs through the program's logger.
import { DefaultLogger, type LogEntry, type LogLevel, makeTelemetryFilterString, Runtime } from '@temporalio/worker';
import type { Logger } from 'pino';
import { createRepetitionFilter } from '../repetition-filter.ts';

const levels = { TRACE: 'trace', DEBUG: 'debug', INFO: 'info', WARN: 'warn', ERROR: 'error' } as const satisfies Record<
  LogLevel,
  string
>;

/** During an outage, Core logs every retry of every Worker: hundreds of equal lines a minute. Those of two executions differ. */
export function logTo(logger: Logger, now?: () => number): (entry: LogEntry) => void {
  const child = logger.child({ program: 'temporal-sdk' });
  const leftOutOf = createRepetitionFilter(now === undefined ? {} : { now });
  return ({ level, message, meta = {} }) => {
    const { sdkComponent, run_id: runId = '' } = meta;
    const leftOut = sdkComponent === 'core' ? leftOutOf(`${String(runId)} ${message.replace(/\d+/g, '#')}`) : 0;
    if (leftOut === undefined) return;
    child[levels[level]](leftOut === 0 ? meta : { ...meta, leftOut }, message);
  };
}

/** Call once, before the first connection or Worker of the process. */
export function installTemporalRuntime(logger: Logger): void {
  Runtime.install({
    // The command line handles signals; the Runtime would only stop its Workers.
    shutdownSignals: [],
    logger: new DefaultLogger('INFO', logTo(logger)),
    telemetryOptions: {
      logging: { filter: makeTelemetryFilterString({ core: 'WARN', other: 'ERROR' }), forward: {} },
    },
  });
}
