import { setTimeout as sleep } from 'node:timers/promises';

/** Rejects with the reason of the signal, unlike the timer itself. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {
    throw signal.reason;
  });
}
