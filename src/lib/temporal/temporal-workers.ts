// The stack traces of Workflows stay whole, although the SDK records one for each Promise, at about 40 µs: with a smaller
// `Error.stackTraceLimit`, a defect that fails a Workflow Task would lose most of its own. Fewer Promises save as much.
import { Worker, type WorkerOptions } from '@temporalio/worker';

export interface TemporalWorkers {
  /** Resolves when all Workers have ended; if one fails, rejects after the others have ended. */
  readonly run: Promise<void>;
  readonly areRunning: () => boolean;
  /** Whether the Worker of these very options has no slot for another Activity, so that it does not poll for one. */
  readonly isFull: (options: WorkerOptions) => boolean;
  /** Resolves when all Workers have finished their work; only `run` reports a failure. */
  stop(): Promise<void>;
}

/** The SDK's default of `maxConcurrentActivityTaskExecutions`. */
const ACTIVITY_SLOTS = 100;

/** The Workers of one process start and end together. If one cannot be created, throws with none left running. */
export async function startWorkers(options: readonly WorkerOptions[]): Promise<TemporalWorkers> {
  const creations = await Promise.allSettled(options.map((each) => Worker.create(each)));
  const workers = creations.flatMap((creation) => (creation.status === 'fulfilled' ? [creation.value] : []));
  const run = runAll(workers);
  // The caller may listen later; until then a failure must not end the process as unhandled.
  run.catch(() => undefined);
  const stop = async (): Promise<void> => {
    shutDown(workers);
    await Promise.allSettled([run]);
  };
  const failed = creations.find((creation) => creation.status === 'rejected');
  if (failed !== undefined) {
    // A connection can be closed only after its Workers have run and ended.
    await stop();
    throw failed.reason;
  }
  const isFull = (each: WorkerOptions): boolean => {
    const worker = workers[options.indexOf(each)];
    const { maxConcurrentActivityTaskExecutions: slots = ACTIVITY_SLOTS } = each;
    return worker !== undefined && worker.getStatus().numInFlightNonLocalActivities >= slots;
  };
  return { run, areRunning: () => workers.every((worker) => worker.getState() === 'RUNNING'), isFull, stop };
}

/** If one fails, the others are stopped: a half-running process would pass health checks. */
async function runAll(workers: readonly Worker[]): Promise<void> {
  const runs = workers.map((worker) => worker.run());
  try {
    await Promise.all(runs);
  } catch (error) {
    shutDown(workers);
    await Promise.allSettled(runs);
    throw error;
  }
}

function shutDown(workers: readonly Worker[]): void {
  for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
}
