/** Some holders at a time for each name; the others wait in their order. */
export interface Turns {
  /** @param signal gives up waiting, and rejects with its reason @returns the function that ends the turn */
  begin(name: string, signal?: AbortSignal): Promise<() => void>;
}

export function createTurns(atOnce: number): Turns {
  /** With a turn under way. */
  const names = new Map<string, { free: number; readonly waiting: Set<() => void> }>();

  function end(name: string): void {
    const turns = names.get(name);
    if (turns === undefined) return;
    const [next] = turns.waiting;
    if (next !== undefined) {
      turns.waiting.delete(next);
      next();
    } else if (++turns.free === atOnce) names.delete(name);
  }

  return {
    async begin(name, signal) {
      signal?.throwIfAborted();
      const turns = names.get(name) ?? { free: atOnce, waiting: new Set<() => void>() };
      names.set(name, turns);
      if (turns.free > 0) turns.free -= 1;
      else
        await new Promise<void>((resolve, reject) => {
          turns.waiting.add(resolve);
          signal?.addEventListener('abort', () => {
            if (turns.waiting.delete(resolve)) reject(signal.reason as Error);
          });
        });
      return () => {
        end(name);
      };
    },
  };
}
