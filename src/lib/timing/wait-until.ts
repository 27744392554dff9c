import { setTimeout as pause } from 'node:timers/promises';

export interface WaitUntilOptions {
  readonly timeoutMs: number;
  /** @default 100 */
  readonly intervalMs?: number;
}

/** Resolves with true once the condition holds, with false after the timeout; throws what the condition throws. */
export async function waitUntil(
  condition: () => boolean | Promise<boolean>,
  { timeoutMs, intervalMs = 100 }: WaitUntilOptions,
): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    if (await condition()) return true;
    if (performance.now() >= deadline) return false;
    await pause(intervalMs);
  }
}
