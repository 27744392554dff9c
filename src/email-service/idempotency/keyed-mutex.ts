/** One caller at a time for each name; the others wait for it to be done. */
export interface KeyedMutex {
  /** A function that ends the turn; undefined when the others were not done in time. */
  take(name: string): Promise<(() => void) | undefined>;
}

/** @param waitMs how long a caller waits for its turn */
export function createKeyedMutex(waitMs: number): KeyedMutex {
  const running = new Map<string, Promise<void>>();
  return {
    async take(name) {
      const deadline = performance.now() + waitMs;
      for (let first = running.get(name); first !== undefined; first = running.get(name)) {
        if (!(await endsBefore(first, deadline))) return undefined;
      }
      // No await between the look above and the next line, so that nobody else can have taken the turn.
      let end = (): void => undefined;
      running.set(name, new Promise((resolve) => (end = resolve)));
      return () => {
        running.delete(name);
        end();
      };
    },
  };
}

async function endsBefore(turn: Promise<void>, deadline: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const timeIsUp = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, deadline - performance.now(), false);
  });
  try {
    return await Promise.race([turn.then(() => true), timeIsUp]);
  } finally {
    clearTimeout(timer);
  }
}
