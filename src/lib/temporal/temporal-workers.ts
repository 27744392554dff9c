// Leaf library: the Workers of one process start, run and end together.
import { Worker, type WorkerOptions } from '@temporalio/worker';

export interface TemporalWorkers {
  /** Resolves when all Workers have ended; rejects when one of them failed, after it has ended the others. */
  readonly run: Promise<void>;
  readonly areRunning: () => boolean;
  /** Lets what is under way finish. Resolves when all have ended, however they ended: `run` reports a failure. */
  stop(): Promise<void>;
}

/** Throws, with nothing left running, when one of them cannot be created. */
export async function startWorkers(options: readonly WorkerOptions[]): Promise<TemporalWorkers> {
  const creations = await Promise.allSettled(options.map((each) => Worker.create(each)));
  const workers = creations.flatMap((creation) => (creation.status === 'fulfilled' ? [creation.value] : []));
  const run = runAll(workers);
  // The caller may listen later; until then a failure must not count as unhandled and end the process.
  run.catch(() => undefined);
  const stop = async (): Promise<void> => {
    shutDown(workers);
    await Promise.allSettled([run]);
  };
  const failed = creations.find((creation) => creation.status === 'rejected');
  if (failed !== undefined) {
    // Only a Worker that runs can be ended, and its connection cannot be closed before.
    await stop();
    throw failed.reason;
  }
  return { run, areRunning: () => workers.every((worker) => worker.getState() === 'RUNNING'), stop };
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
