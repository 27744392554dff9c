import { describe, expect, test } from 'vitest';
import { failureOf, hoursTaken, outage, withOnboardings } from '../../support/onboarding-environment.ts';

describe('F3: the email bounces', () => {
  test('finds in the final check a delivery that happened during an outage at the end of its window', async () => {
    await withOnboardings(
      (clock) => ({ outcome: () => 'queued', before: outage(clock, { of: 'getEmail', from: 70, until: 75 }) }),
      async ({ start, sleep, scripted }) => {
        const handle = await start();
        await sleep('71 hours');
        scripted.script.outcome = () => ({ status: 'delivered', deliveredAt: null });
        await handle.result();
        expect(await hoursTaken(handle)).toBeGreaterThan(72);
      },
    );
  });

  test('neither delivered nor bounced within 72 hours is DeliveryUnconfirmed', async () => {
    await withOnboardings({ outcome: () => 'queued' }, async ({ start, history }) => {
      const handle = await start();
      expect(await failureOf(handle)).toMatchObject({
        type: 'DeliveryUnconfirmed',
        details: { exit: null, stage: 'awaitingDelivery', emailId: 'eml_5', lastStatus: 'queued' },
      });
      expect((await history(handle)).events).toBeLessThanOrEqual(60);
    });
  });
});
