/** An event may be lost with its connection, so the state is read anyway. */
const QUIET_MS = 15_000;
/** Without events, as from an older server. */
const POLL_MS = 2_000;

/**
 * Lets a loop wait before it reads the state again: what it returns resolves at the next event since the last call, or after a while,
 * which is short when there are no events to wait for.
 *
 * @param events end or throw when there will be no further ones
 */
export function createEventBell(events: AsyncIterable<unknown>): (signal: AbortSignal) => Promise<void> {
  let isConnected = true;
  let hasRung = false;
  let wake: () => void = () => undefined;
  const ring = (): void => {
    hasRung = true;
    wake();
  };
  void (async () => {
    for await (const event of events) if (event !== undefined) ring();
  })()
    .catch(() => undefined)
    .finally(() => {
      isConnected = false;
      ring();
    });
  return async (signal) => {
    signal.throwIfAborted();
    if (!hasRung) {
      await new Promise<void>((resolve) => {
        wake = () => {
          clearTimeout(timer);
          signal.removeEventListener('abort', wake);
          resolve();
        };
        const timer = setTimeout(wake, isConnected ? QUIET_MS : POLL_MS);
        signal.addEventListener('abort', wake);
      });
      signal.throwIfAborted();
    }
    hasRung = false;
  };
}
