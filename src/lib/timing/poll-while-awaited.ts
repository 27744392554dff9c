import { setTimeout as pause } from 'node:timers/promises';

export interface AwaitedPoll {
  readonly everyMs: number;
  /** @default always */
  readonly isAwaited?: () => boolean;
  /** One that fails is repeated: it must find again what the failed one missed. */
  readonly poll: () => Promise<void>;
  readonly onError: (error: unknown) => void;
  /** Called when nothing is awaited any more. */
  readonly onRest?: () => void;
}

export interface Poller {
  /** Begins to poll, unless it does. To be called by what begins to wait. */
  readonly start: () => void;
  /** Resolves when the poll under way has ended. */
  readonly close: () => Promise<void>;
}

/** One poll for everything that waits for the same source; none while nothing does. */
export function pollWhileAwaited({ everyMs, isAwaited = () => true, poll, onError, onRest }: AwaitedPoll): Poller {
  const closing = new AbortController();
  let isPolling = false;
  let polling: Promise<void> | undefined;

  async function run(): Promise<void> {
    isPolling = true;
    while (isAwaited() && !closing.signal.aborted) {
      await poll().catch(onError);
      await pause(everyMs, undefined, { signal: closing.signal }).catch(() => undefined);
    }
    isPolling = false;
    onRest?.();
  }

  return {
    start() {
      if (!isPolling) polling = run();
    },
    async close() {
      closing.abort();
      await polling;
    },
  };
}
