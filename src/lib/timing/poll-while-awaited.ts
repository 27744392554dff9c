import { setTimeout as pause } from 'node:timers/promises';
import { followAbort } from './follow-abort.ts';

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

export interface PolledWaits<Waiting> {
  /** Those that wait now. */
  readonly all: () => readonly Waiting[];
  /** Resolves when a poll ends the wait, after `waitMs`, and when aborted. */
  readonly wait: (waiting: Waiting, waitMs: number, signal: AbortSignal) => Promise<void>;
  readonly close: () => void;
}

/** @param poll resolves with those whose wait ends */
export function createPolledWaits<Waiting>({
  poll,
  ...options
}: Omit<AwaitedPoll, 'isAwaited' | 'poll'> & {
  readonly poll: () => Promise<readonly Waiting[]>;
}): PolledWaits<Waiting> {
  const waits = new Map<Waiting, AbortController>();
  const poller = pollWhileAwaited({
    ...options,
    isAwaited: () => waits.size > 0,
    poll: async () => {
      for (const waiting of await poll()) waits.get(waiting)?.abort();
    },
  });
  return {
    all: () => [...waits.keys()],
    async wait(waiting, waitMs, signal) {
      const ended = followAbort(signal);
      waits.set(waiting, ended);
      poller.start();
      await pause(waitMs, undefined, { signal: ended.signal }).catch(() => undefined);
      waits.delete(waiting);
      // Removes the listener from the signal.
      ended.abort();
    },
    close: () => void poller.close(),
  };
}
