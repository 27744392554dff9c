import { expect, test } from 'vitest';
import { sharedDevServer } from '../../support/temporal.ts';
import { withWatch } from '../../support/watch-environment.ts';

test('one sweep checks 520 domains, ten at once, in runs of bounded length', () => {
  const tenants = Array.from({ length: 520 }, (_, index) => `tenant-${index}`);
  // Each check waits until ten are under way.
  let waiting: (() => void)[] = [];
  let mostUnderWay = 0;
  const before = async (call: string): Promise<void> => {
    if (call !== 'getDomain') return;
    await new Promise<void>((resolve) => {
      waiting.push(resolve);
      mostUnderWay = Math.max(mostUnderWay, waiting.length);
      if (waiting.length < 10) return;
      const ten = waiting;
      waiting = [];
      for (const proceed of ten) proceed();
    });
  };
  return withWatch(
    { before },
    async ({ onboarded, sweep, scripted, events }) => {
      for (const tenantId of tenants) await onboarded(tenantId);
      expect(await sweep()).toMatchObject({ intact: 520, failed: 0, skipped: 0 });
      expect(scripted.count('getDomain')).toBe(520);
      expect(mostUnderWay).toBe(10);
      // The list lags behind.
      await expect.poll(async () => (await events()).length).toBe(2);
      for (const length of await events()) expect(length).toBeLessThanOrEqual(3_100);
    },
    sharedDevServer,
    100,
  );
}, 120_000);
