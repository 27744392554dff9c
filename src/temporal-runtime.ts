// Leaf library: one Temporal Runtime per process, logging through the program's own logger.
import { DefaultLogger, makeTelemetryFilterString, Runtime, type LogLevel } from '@temporalio/worker';
import type { Logger } from 'pino';

const levels = { TRACE: 'trace', DEBUG: 'debug', INFO: 'info', WARN: 'warn', ERROR: 'error' } as const satisfies Record<
  LogLevel,
  string
>;

/** Before the first connection or Worker of the process; a second call is refused by the SDK. */
export function installTemporalRuntime(logger: Logger): void {
  const child = logger.child({ program: 'temporal-sdk' });
  Runtime.install({
    // The command line has one owner of signals; the Runtime's own would only stop its Workers.
    shutdownSignals: [],
    logger: new DefaultLogger('INFO', ({ level, message, meta }) => {
      child[levels[level]](meta ?? {}, message);
    }),
    telemetryOptions: {
      logging: { filter: makeTelemetryFilterString({ core: 'WARN', other: 'ERROR' }), forward: {} },
    },
  });
}
