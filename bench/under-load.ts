import { setTimeout as pause } from 'node:timers/promises';
import { followAbort } from '../src/lib/timing/follow-abort.ts';
import { waitUntil } from '../src/lib/timing/wait-until.ts';
import type { Figures } from './scenario.ts';
import { type MeasuredProcess, usageOf } from './process-usage.ts';

export interface Load {
  /** Of those that ended inside the measured time. */
  readonly perSecond: number;
  /** How long each of them took, from its beginning. */
  readonly tookMs: readonly number[];
  /** Of each process, for each end. */
  readonly cpuMsEach: ReadonlyMap<string, number>;
}

export interface LoadOptions {
  /** How many run at once: each begins the next when its last has ended. */
  readonly clients: number;
  /** Not measured: compilers, caches and connections need the first ones. */
  readonly warmUpMs: number;
  readonly measuredMs: number;
  readonly processes: readonly MeasuredProcess[];
  /** From the beginning to the end of one. */
  readonly runOne: (number: number) => Promise<void>;
  readonly signal: AbortSignal;
}

const ENOUGH_WITHIN_MS = 300_000;

/** Runs for as long as it says, then ends what has begun. */
export async function underLoad(options: LoadOptions): Promise<Load> {
  const { clients, warmUpMs, measuredMs, processes, runOne } = options;
  // The failure of a client ends the others.
  const ending = followAbort(options.signal);
  const { signal } = ending;
  const ends: { readonly at: number; readonly tookMs: number }[] = [];
  let number = 0;
  let isOver = false;
  const client = async (): Promise<void> => {
    while (!isOver) {
      signal.throwIfAborted();
      const begun = performance.now();
      await runOne(++number).catch((error: unknown) => {
        ending.abort(error);
        throw error;
      });
      const at = performance.now();
      ends.push({ at, tookMs: at - begun });
    }
  };
  /** For this time, and on a slow machine until every client has come to an end once. */
  const last = async (durationMs: number): Promise<void> => {
    const enough = ends.length + clients;
    await pause(durationMs, undefined, { signal });
    const hasEnough = await waitUntil(() => signal.aborted || ends.length >= enough, { timeoutMs: ENOUGH_WITHIN_MS });
    signal.throwIfAborted();
    if (!hasEnough) throw new Error(`Only ${ends.length} came to an end within ${ENOUGH_WITHIN_MS / 1_000} s`);
  };
  const measure = async () => {
    try {
      await last(warmUpMs);
      const [since, before] = [performance.now(), usageOf(processes)];
      await last(measuredMs);
      return { since, until: performance.now(), before, after: usageOf(processes) };
    } finally {
      isOver = true;
    }
  };
  const [{ since, until, before, after }] = await Promise.all([
    measure(),
    ...Array.from({ length: clients }, client),
  ]).finally(() => {
    // Otherwise the signal of the whole run keeps a listener for each scenario.
    ending.abort();
  });
  const tookMs = ends.filter(({ at }) => at >= since && at < until).map((end) => end.tookMs);
  const cpuMsEach = new Map(
    [...after].map(([name, { cpuMs }]) => [name, (cpuMs - (before.get(name)?.cpuMs ?? 0)) / tookMs.length] as const),
  );
  return {
    perSecond: (tookMs.length * 1_000) / (until - since),
    tookMs,
    cpuMsEach,
  };
}

/** Of all processes together, and of each. */
export const cpuFigures = ({ cpuMsEach }: Load): Figures => ({
  'CPU ms each': [...cpuMsEach.values()].reduce((sum, each) => sum + each, 0),
  ...Object.fromEntries([...cpuMsEach].map(([name, each]) => [`${name} CPU ms each`, each])),
});
