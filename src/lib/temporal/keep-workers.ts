import type { WorkerOptions } from '@temporalio/worker';
import { createRepetitionFilter } from '../repetition-filter.ts';
import { pollWhileAwaited } from '../timing/poll-while-awaited.ts';
import { grpcMessage } from './grpc-code.ts';
import { startWorkers, type TemporalWorkers } from './temporal-workers.ts';

export interface WorkerKeeperOptions {
  /** Why the Namespace cannot be used; undefined if it can. Rejects if the server does not answer, which Workers outlast. */
  readonly findFault: () => Promise<string | undefined>;
  readonly warn: (message: string, meta: object) => void;
  /** @default 15 seconds */
  readonly everyMs?: number | undefined;
}

export type KeptWorkers = TemporalWorkers & {
  /** False while the Namespace cannot be used. */
  readonly areStarted: () => boolean;
};

/** Four times within the minute after which Temporal Core fails a Worker whose polls are refused. */
const KEEP_EVERY_MS = 15_000;

/**
 * Workers of one Namespace: they are stopped while it is missing or refuses the credentials, and then started again. A Worker that Core fails
 * for that never ends and does not release its connection: its process could neither go on nor stop. Throws if they cannot start; `run` rejects
 * if one fails in a Namespace that can be used.
 */
export async function keepWorkers(
  options: readonly WorkerOptions[],
  { findFault, warn, everyMs = KEEP_EVERY_MS }: WorkerKeeperOptions,
): Promise<KeptWorkers> {
  const namespace = options[0]?.namespace;
  const leftOutOf = createRepetitionFilter();
  const warnOf = (message: string, reason: string): void => {
    const leftOut = leftOutOf(reason);
    if (leftOut !== undefined) warn(message, { namespace, reason, leftOut });
  };
  let isOver = false;
  let end: { readonly resolve: () => void; readonly reject: (error: unknown) => void } | undefined;
  const run = new Promise<void>((resolve, reject) => (end = { resolve, reject }));
  // The caller may listen later; until then a failure must not end the process as unhandled.
  run.catch(() => undefined);
  const start = async (): Promise<TemporalWorkers> => {
    const started = await startWorkers(options);
    started.run.catch((error: unknown) => end?.reject(error));
    return started;
  };
  let workers: TemporalWorkers | undefined = await start();
  const poll = async (): Promise<void> => {
    const fault = await findFault();
    if (fault !== undefined) {
      warnOf('the Workers of a Namespace are stopped until it can be used', fault);
      const stopped = workers;
      workers = undefined;
      await stopped?.stop();
    } else if (workers === undefined && !isOver) {
      workers = await start();
      warn('the Workers of a Namespace were started again', { namespace });
    }
  };
  const keeper = pollWhileAwaited({
    everyMs,
    poll,
    onError: (error) => {
      warnOf('cannot see to the Workers of a Namespace', grpcMessage(error));
    },
  });
  keeper.start();
  return {
    run,
    areStarted: () => workers !== undefined,
    areRunning: () => workers?.areRunning() === true,
    isFull: (each) => workers?.isFull(each) === true,
    async stop() {
      isOver = true;
      await keeper.close();
      await workers?.stop();
      end?.resolve();
    },
  };
}
