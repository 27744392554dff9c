// Leaf library: one Temporal Runtime per process, logging through the program's own logger.
import { DefaultLogger, type LogEntry, type LogLevel, makeTelemetryFilterString, Runtime } from '@temporalio/worker';
import type { Logger } from 'pino';
import { createRepetitionFilter } from '../repetition-filter.ts';

const levels = { TRACE: 'trace', DEBUG: 'debug', INFO: 'info', WARN: 'warn', ERROR: 'error' } as const satisfies Record<
  LogLevel,
  string
>;

/** While a server is away, Core logs each retry of each call of each Worker: hundreds of lines a minute that say the same. */
export function logTo(logger: Logger, now?: () => number): (entry: LogEntry) => void {
  const child = logger.child({ program: 'temporal-sdk' });
  const leftOutOf = createRepetitionFilter(now === undefined ? {} : { now });
  return ({ level, message, meta = {} }) => {
    const leftOut = meta['sdkComponent'] === 'core' ? leftOutOf(message.replace(/\d+/g, '#')) : 0;
    if (leftOut === undefined) return;
    child[levels[level]](leftOut === 0 ? meta : { ...meta, leftOut }, message);
  };
}

/** Before the first connection or Worker of the process; a second call is refused by the SDK. */
export function installTemporalRuntime(logger: Logger): void {
  Runtime.install({
    // The command line has one owner of signals; the Runtime's own would only stop its Workers.
    shutdownSignals: [],
    logger: new DefaultLogger('INFO', logTo(logger)),
    telemetryOptions: {
      logging: { filter: makeTelemetryFilterString({ core: 'WARN', other: 'ERROR' }), forward: {} },
    },
  });
}
