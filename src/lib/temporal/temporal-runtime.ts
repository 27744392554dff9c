// One Temporal Runtime per process, which logs through the program's logger and serves the metrics of the process.
import {
  DefaultLogger,
  type LogEntry,
  type LogLevel,
  makeTelemetryFilterString,
  Runtime,
  type RuntimeOptions,
} from '@temporalio/worker';
import type { Logger } from 'pino';
import { exportMetrics, histogramBuckets } from '../metrics/metrics.ts';
import { measureProcess } from '../metrics/process-metrics.ts';
import { createRepetitionFilter } from '../repetition-filter.ts';
import { SettingsError } from '../settings.ts';
import { RELEASE, type WorkerRelease } from './worker-release.ts';

const levels = { TRACE: 'trace', DEBUG: 'debug', INFO: 'info', WARN: 'warn', ERROR: 'error' } as const satisfies Record<
  LogLevel,
  string
>;

/** During an outage, Core logs every retry of every Worker: hundreds of equal lines a minute. Those of two executions differ. */
export function logTo(logger: Logger, now?: () => number): (entry: LogEntry) => void {
  const child = logger.child({ program: 'temporal-sdk' });
  const leftOutOf = createRepetitionFilter(now);
  return ({ level, message, meta = {} }) => {
    const { sdkComponent, run_id: runId = '' } = meta;
    const leftOut = sdkComponent === 'core' ? leftOutOf(`${String(runId)} ${message.replace(/\d+/g, '#')}`) : 0;
    if (leftOut === undefined) return;
    child[levels[level]](leftOut === 0 ? meta : { ...meta, leftOut }, message);
  };
}

export interface MetricsExport {
  /** The tag of every metric, because both programs have some of the same name. */
  readonly program: 'orchestrator' | 'email-service';
  /** Undefined: none are measured. */
  readonly address: string | undefined;
  /** The name of the setting with the address. */
  readonly setting: string;
  readonly release: WorkerRelease;
}

/**
 * Call once, before the first connection or Worker of the process, and before an HTTP app is built. Throws SettingsError if the metrics cannot
 * be served at their address.
 */
export function installTemporalRuntime(logger: Logger, metrics?: MetricsExport): void {
  const address = metrics?.address;
  const options: RuntimeOptions = {
    // The command line handles signals; the Runtime would only stop its Workers.
    shutdownSignals: [],
    logger: new DefaultLogger('INFO', logTo(logger)),
    telemetryOptions: {
      logging: { filter: makeTelemetryFilterString({ core: 'WARN', other: 'ERROR' }), forward: {} },
      ...(metrics !== undefined && address !== undefined && { metrics: exporterOf(metrics.program, address) }),
    },
  };
  if (metrics === undefined || address === undefined) {
    Runtime.install(options);
    return;
  }
  try {
    Runtime.install(options);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const advice = 'Set it to a free port of an address of this machine, or remove it';
    throw new SettingsError(`${metrics.setting} is ${address}, where metrics cannot be served: ${reason}. ${advice}.`, {
      cause: error,
    });
  }
  measureProcess(RELEASE, metrics.release.version?.buildId ?? '');
  exportMetrics(Runtime.instance().metricMeter);
}

/** The names of Prometheus' own rules. */
const exporterOf = (program: MetricsExport['program'], bindAddress: string) => ({
  globalTags: { program },
  prometheus: {
    bindAddress,
    ...{ countersTotalSuffix: true, unitSuffix: true, useSecondsForDurations: true },
    histogramBucketOverrides: histogramBuckets(),
  },
});
