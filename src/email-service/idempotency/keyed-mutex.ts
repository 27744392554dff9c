// Only saves work: the unique index on (owner, key) decides between processes, and a second request waits for the commit of the first,
// then replays its answer.
import { settlesWithin } from '../../lib/timing/settles-within.ts';

/** One holder at a time for each name. */
export interface KeyedMutex {
  /** @returns the function that unlocks; undefined if the lock was not free in time */
  lock(name: string): Promise<(() => void) | undefined>;
}

/** @param waitMs how long a caller waits for the lock */
export function createKeyedMutex(waitMs: number): KeyedMutex {
  const locked = new Map<string, Promise<void>>();
  return {
    async lock(name) {
      const deadline = performance.now() + waitMs;
      for (let holder = locked.get(name); holder !== undefined; holder = locked.get(name)) {
        if (!(await settlesWithin(deadline - performance.now(), holder))) return undefined;
      }
      // No await between the check above and the next line, so that no other caller can lock in between.
      let unlock = (): void => undefined;
      locked.set(name, new Promise((resolve) => (unlock = resolve)));
      return () => {
        locked.delete(name);
        unlock();
      };
    },
  };
}
