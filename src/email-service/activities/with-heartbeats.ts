import { setTimeout as sleep } from 'node:timers/promises';

/** Several within the Activity's heartbeat timeout, so that one late heartbeat does no harm. */
const INTERVAL_MS = 2_000;

/** Another Worker then takes over a killed Worker's email after seconds instead of minutes. */
export async function withHeartbeats<T>(work: Promise<T>, heartbeat: () => void): Promise<T> {
  const over = new AbortController();
  const beating = (async () => {
    while (!over.signal.aborted) {
      heartbeat();
      await sleep(INTERVAL_MS, undefined, { signal: over.signal }).catch(() => undefined);
    }
  })();
  try {
    return await work;
  } finally {
    over.abort();
    await beating;
  }
}
