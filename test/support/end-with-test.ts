import { onTestFinished } from 'vitest';

/** Stops it after the test, the last one first. */
export function endWithTest<T extends { stop(): Promise<unknown> }>(started: T): T {
  onTestFinished(async () => {
    await started.stop();
  });
  return started;
}
