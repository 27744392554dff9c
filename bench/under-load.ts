import { cpuUsage } from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { followAbort } from '../src/lib/follow-abort.ts';
import { waitUntil } from '../src/lib/wait-until.ts';
import { type MeasuredProcess, usageOf } from './process-usage.ts';

export interface Load {
  /** Ends inside the measured time. */
  readonly ended: number;
  readonly perSecond: number;
  /** How long each of them took, from its beginning. */
  readonly tookMs: readonly number[];
  /** Of each process, for each end. */
  readonly cpuMsEach: ReadonlyMap<string, number>;
  /** Of this process: load generator, provider and receivers. */
  readonly ownCpuMsEach: number;
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
      const [since, before, ownBefore] = [performance.now(), usageOf(processes), cpuUsage()];
      await last(measuredMs);
      return { since, until: performance.now(), before, after: usageOf(processes), own: cpuUsage(ownBefore) };
    } finally {
      isOver = true;
    }
  };
  const [{ since, until, before, after, own }] = await Promise.all([
    measure(),
    ...Array.from({ length: clients }, client),
  ]);
  const tookMs = ends.filter(({ at }) => at >= since && at < until).map((end) => end.tookMs);
  const cpuMsEach = new Map(
    [...after].map(([name, { cpuMs }]) => [name, (cpuMs - (before.get(name)?.cpuMs ?? 0)) / tookMs.length] as const),
  );
  return {
    ended: tookMs.length,
    perSecond: (tookMs.length * 1_000) / (until - since),
    tookMs,
    cpuMsEach,
    ownCpuMsEach: (own.user + own.system) / 1_000 / tookMs.length,
  };
}
