import { describe, expect, test } from 'vitest';
import { ProviderUnreachable } from '../../../src/email-provider/provider-error.ts';
import { failureOf, hoursSinceFirstAsked, hoursTaken, withOnboardings } from '../../support/onboarding-environment.ts';

describe('F3: the email bounces', () => {
  test('finds in the final check a delivery that happened during an outage at the end of its window', async () => {
    await withOnboardings(
      (clock) => {
        const elapsedHours = hoursSinceFirstAsked(clock);
        return {
          outcome: () => 'queued',
          before: async (call) => {
            const hours = await elapsedHours();
            if (call === 'getEmail' && hours > 70 && hours < 75) throw new ProviderUnreachable(call, 'ECONNREFUSED');
          },
        };
      },
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
