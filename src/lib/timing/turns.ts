/** Some holders at a time for each name; the others wait in their order. */
export interface Turns {
  /** @returns the function that ends the turn; undefined if none is free */
  take(name: string): (() => void) | undefined;
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

  function turnsOf(name: string) {
    const turns = names.get(name) ?? { free: atOnce, waiting: new Set<() => void>() };
    names.set(name, turns);
    return turns;
  }

  function take(name: string): (() => void) | undefined {
    const turns = turnsOf(name);
    if (turns.free === 0) return undefined;
    turns.free -= 1;
    return () => {
      end(name);
    };
  }

  return {
    take,
    async begin(name, signal) {
      signal?.throwIfAborted();
      const free = take(name);
      if (free !== undefined) return free;
      const { waiting } = turnsOf(name);
      await new Promise<void>((resolve, reject) => {
        waiting.add(resolve);
        signal?.addEventListener('abort', () => {
          if (waiting.delete(resolve)) reject(signal.reason as Error);
        });
      });
      return () => {
        end(name);
      };
    },
  };
}
