import { describe, expect, test } from 'vitest';
import { ProviderUnreachable } from '../../src/email-provider/provider-error.ts';
import { onboardingFailure } from '../../src/http/onboardings.ts';
import { onboardingStateQuery, providerReportedSignal } from '../../src/workflows/messages.ts';
import { realServer, validInput, withOnboardings } from '../support/onboarding-environment.ts';
import type { Call } from '../support/scripted-provider.ts';

// On the real server: when an Activity is asked to cancel during an attempt that then fails, it ends with that
// failure and not as cancelled. The time-skipping server lets it go on retrying.

/** Makes the next call of a kind wait, until the test lets it be answered. */
function held(held: Call) {
  let letGo: () => void = () => undefined;
  let arrived: () => void = () => undefined;
  const released = new Promise<void>((resolve) => (letGo = resolve));
  const underWay = new Promise<void>((resolve) => (arrived = resolve));
  const before = async (call: Call): Promise<void> => {
    if (call !== held) return;
    arrived();
    await released;
  };
  return { before, underWay, letGo };
}

describe('what comes while an attempt is under way', () => {
  test('a poke during a look that finds nothing is followed by another look, and the onboarding goes on', async () => {
    const look = held('getDomain');
    await withOnboardings(
      { verified: () => false, before: look.before },
      async ({ start, scripted }) => {
        const handle = await start();
        await look.underWay;
        await handle.signal(providerReportedSignal, { eventId: 'evt_1', type: 'domain.verified' });
        await expect.poll(async () => (await handle.query(onboardingStateQuery)).pokes).toBe(1);
        look.letGo();
        await expect.poll(() => scripted.count('getDomain'), { timeout: 10_000 }).toBeGreaterThan(1);
        scripted.script.verified = () => true;
        await handle.signal(providerReportedSignal, { eventId: 'evt_2', type: 'domain.verified' });
        await handle.result();
      },
      realServer,
    );
  });

  test('a deadline during a look that finds nothing is F1', async () => {
    const look = held('getDomain');
    await withOnboardings(
      { verified: () => false, before: look.before },
      async ({ start }) => {
        const handle = await start(validInput({ verificationWindow: '1 second' }));
        await look.underWay;
        await expect
          .poll(async () => (await handle.fetchHistory()).events?.some((event) => event.timerFiredEventAttributes), {
            timeout: 10_000,
          })
          .toBe(true);
        look.letGo();
        const error: unknown = await handle.result().catch((thrown: unknown) => thrown);
        expect(onboardingFailure(error)).toMatchObject({
          type: 'DomainVerificationTimedOut',
          message: expect.stringContaining('within 1 second') as string,
        });
      },
      realServer,
    );
  });

  test('a cancel during an attempt that then fails is a cancel: everything is undone', async () => {
    let calls = 0;
    const step = held('createSender');
    const before = async (call: Call): Promise<void> => {
      // The two quick attempts fail at once, so that the step is a regular Activity when it is cancelled.
      if (call === 'createSender' && ++calls <= 2) throw new ProviderUnreachable(call, 'ECONNREFUSED');
      await step.before(call);
      if (call === 'createSender' && calls === 3) throw new ProviderUnreachable(call, 'ECONNRESET');
    };
    await withOnboardings(
      { before },
      async ({ start, scripted }) => {
        const handle = await start();
        await step.underWay;
        await handle.cancel();
        await expect
          .poll(
            async () =>
              (await handle.fetchHistory()).events?.some((event) => event.activityTaskCancelRequestedEventAttributes),
            { timeout: 10_000 },
          )
          .toBe(true);
        step.letGo();
        await expect(handle.result()).rejects.toMatchObject({ cause: { name: 'CancelledFailure' } });
        expect([...scripted.existing]).toEqual([]);
      },
      realServer,
    );
  });
});
