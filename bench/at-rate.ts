import { setTimeout as pause } from 'node:timers/promises';

export interface RateOptions {
  readonly perSecond: number;
  readonly warmUpMs: number;
  readonly measuredMs: number;
  readonly runOne: (number: number) => Promise<void>;
  readonly signal: AbortSignal;
}

/**
 * Begins one at each of the times of a fixed rate, whether or not the earlier ones have ended: a caller that waited would not notice
 * a pause of the program.
 *
 * @returns how many milliseconds each took that was to begin in the measured time, from when it was to begin
 */
export async function atRate({ perSecond, warmUpMs, measuredMs, runOne, signal }: RateOptions): Promise<number[]> {
  const begun = performance.now();
  const all = Math.round(((warmUpMs + measuredMs) * perSecond) / 1_000);
  const runs: Promise<{ readonly due: number; readonly tookMs: number }>[] = [];
  for (let number = 0; number < all; number++) {
    const due = begun + (number * 1_000) / perSecond;
    const early = due - performance.now();
    if (early > 0) await pause(early, undefined, { signal });
    runs.push(runOne(number).then(() => ({ due, tookMs: performance.now() - due })));
  }
  const ended = await Promise.all(runs);
  return ended.filter(({ due }) => due >= begun + warmUpMs).map(({ tookMs }) => tookMs);
}
