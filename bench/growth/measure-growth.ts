import { setTimeout as pause } from 'node:timers/promises';
import type { Bench, Lines } from '../scenario.ts';
import { percentile } from '../statistics.ts';

/** By its title. Takes a number that no earlier call had. */
export type Calls = Readonly<Record<string, (number: number) => Promise<unknown>>>;

/** With `--quick` fewer, which take seconds to insert. */
const SIZES = { full: [10_000, 1_000_000], quick: [1_000, 5_000] } as const;

const MEASURED = 200;
/** A call that takes seconds is measured fewer times. */
const SLOW_AFTER_MS = 10_000;
const CALLS_MIN = 10;
/** Of each title, with few rows and with many. */
export const CALLS_MAX = 2 * MEASURED;

/**
 * How long each call takes, one after the other, with few and with many rows: what a tenth of the calls do not exceed.
 *
 * @param seed adds rows until there are so many
 */
export async function measureGrowth(
  { quick, report, signal }: Pick<Bench, 'quick' | 'report' | 'signal'>,
  calls: Calls,
  seed: (from: number, to: number) => Promise<void>,
): Promise<Lines> {
  const sizes = quick ? SIZES.quick : SIZES.full;
  const times = quick ? 10 : MEASURED;
  let number = 0;
  const callMs = async (call: Calls[string]): Promise<number> => {
    const tookMs: number[] = [];
    const slowFrom = performance.now() + SLOW_AFTER_MS;
    for (let time = 0; time < 2 * times && (time < CALLS_MIN || performance.now() < slowFrom); time++) {
      signal.throwIfAborted();
      const begun = performance.now();
      await call(++number);
      tookMs.push(performance.now() - begun);
    }
    // The first ones compile code and fill caches.
    tookMs.splice(0, tookMs.length / 2);
    // What the call itself takes: other work on the machine only adds to it.
    return percentile(tookMs, 10);
  };
  const measuredBySize: Record<string, number>[] = [];
  let rows = 0;
  for (const size of sizes) {
    report(`  Seeding ${size} rows`);
    await seed(rows, size);
    rows = size;
    // SQLite blocks this process while it inserts; connections that were closed meanwhile are noticed now.
    await pause(1_000, undefined, { signal });
    const measured: Record<string, number> = {};
    for (const [title, call] of Object.entries(calls)) measured[title] = await callMs(call);
    measuredBySize.push(measured);
  }
  const [few = {}, many = {}] = measuredBySize;
  return Object.fromEntries(
    Object.keys(calls).map((title) => {
      const [before, after] = [few[title] ?? NaN, many[title] ?? NaN];
      const columns = sizes.map((size) => `ms at ${size.toLocaleString('en')}`);
      return [title, { [columns[0] ?? '']: before, [columns[1] ?? '']: after, 'growth %': (after / before - 1) * 100 }];
    }),
  );
}
