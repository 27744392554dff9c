import { describe, expect, test } from 'vitest';
import { ProviderUnreachable } from '../../src/email-provider/provider-error.ts';
import { checkNowUpdate, onboardingStateQuery, providerReportedSignal } from '../../src/workflows/messages.ts';
import { failureOf, hoursSinceFirstAsked, hoursTaken, withOnboardings } from '../support/onboarding-environment.ts';
import type { Script } from '../support/scripted-provider.ts';

/** A zone that is right from an hour on, at a provider that sees it at once. */
const fixedAfter =
  (hours: number) =>
  (clock: () => Promise<number>): Partial<Script> => {
    const elapsedHours = hoursSinceFirstAsked(clock);
    return { verified: async () => (await elapsedHours()) >= hours };
  };

describe('the deadline of the verification window', () => {
  test('a domain fixed a minute before it is onboarded by the last look', async () => {
    await withOnboardings(fixedAfter(72 - 1 / 60), async ({ start, scripted }) => {
      const handle = await start();
      await handle.result();
      expect(scripted.count('requestVerification')).toBe(1);
      expect(await hoursTaken(handle)).toBeLessThan(72.1);
    });
  });

  test('a domain fixed a minute after it is F1, and a restart is onboarded with the same records', async () => {
    await withOnboardings(fixedAfter(72 + 1 / 60), async ({ start, scripted }) => {
      const failed = await start();
      expect(await failureOf(failed)).toMatchObject({ details: { exit: 'F1', conclusive: true } });
      const { domainId, records } = await failed.query(onboardingStateQuery);
      const again = await start();
      const result = (await again.result()) as { domainId: string };
      expect(result.domainId).toBe(domainId);
      const now = await again.query(onboardingStateQuery);
      expect(now.records.map(({ name, value }) => [name, value])).toEqual(
        records.map(({ name, value }) => [name, value]),
      );
      expect(scripted.createdFor('acme').filter((id) => id.startsWith('dom'))).toEqual([domainId]);
    });
  });
});

describe('the last look, while nothing can be said', () => {
  test('a webhook during its pause looks at once', async () => {
    await withOnboardings({ verified: () => false, dns: () => 'inconclusive' }, async ({ start, sleep, scripted }) => {
      const handle = await start();
      await sleep('82 hours');
      const looks = scripted.count('requestVerification');
      scripted.script.verified = () => true;
      await handle.signal(providerReportedSignal, { eventId: 'evt_1', type: 'domain.verified' });
      await handle.result();
      expect(scripted.count('requestVerification')).toBe(looks + 1);
      expect(await hoursTaken(handle)).toBeLessThan(82.1);
    });
  });

  test('checkNow during its pause answers, and what it found counts at once', async () => {
    await withOnboardings({ verified: () => false, dns: () => 'inconclusive' }, async ({ start, sleep, scripted }) => {
      const handle = await start();
      await sleep('82 hours');
      expect(await handle.executeUpdate(checkNowUpdate)).toMatchObject({ verified: false, conclusive: false });
      await sleep('1 minute');
      scripted.script.verified = () => true;
      expect(await handle.executeUpdate(checkNowUpdate)).toMatchObject({ verified: true });
      await handle.result();
      expect(await hoursTaken(handle)).toBeLessThan(82.2);
    });
  });

  test('hints do not give it more than its day: the zone that stays silent is F1 that says so', async () => {
    await withOnboardings(
      { verified: () => false, dns: () => 'inconclusive' },
      async ({ start, sleep, scripted, history }) => {
        const handle = await start();
        await sleep('80 hours');
        for (const eventId of ['evt_1', 'evt_2']) {
          await handle.signal(providerReportedSignal, { eventId, type: 'domain.verified' });
          await sleep('6 hours');
        }
        const failure = await failureOf(handle);
        expect(failure).toMatchObject({ type: 'DomainVerificationTimedOut', details: { conclusive: false } });
        expect(await hoursTaken(handle)).toBeGreaterThanOrEqual(96);
        expect(await hoursTaken(handle)).toBeLessThan(97);
        expect(scripted.count('requestVerification')).toBeLessThanOrEqual(130);
        expect((await history(handle)).events).toBeLessThanOrEqual(90);
      },
    );
  });

  test('a provider that is out of reach for a day after the deadline is ProviderUnavailable, never F1', async () => {
    await withOnboardings(
      (clock) => {
        const elapsedHours = hoursSinceFirstAsked(clock);
        return {
          verified: () => false,
          before: async (call) => {
            const hours = await elapsedHours();
            if (hours > 71 && call !== 'revokeApiKey') throw new ProviderUnreachable(call, 'ECONNREFUSED');
          },
        };
      },
      async ({ start, scripted }) => {
        const handle = await start();
        expect(await failureOf(handle)).toMatchObject({
          type: 'ProviderUnavailable',
          details: {
            step: 'diagnoseDomain',
            stage: 'awaitingDomain',
            lastError: 'requestVerification: no answer, ECONNREFUSED',
            undo: [
              { step: 'registerDomain', result: 'kept' },
              { step: 'registerWebhook', result: 'failed' },
              { step: 'issueApiKey', result: 'undone' },
            ],
          },
        });
        expect(await hoursTaken(handle)).toBeGreaterThan(96);
        expect(scripted.existingOf('acme')).toEqual(['whk_2', 'dom_3']);
      },
    );
  });

  test('a provider that falls silent after it said pending is not F1 either', async () => {
    await withOnboardings(
      (clock) => {
        const elapsedHours = hoursSinceFirstAsked(clock);
        return {
          verified: () => false,
          dns: () => 'inconclusive',
          before: async (call) => {
            const hours = await elapsedHours();
            if (hours > 90 && hours < 100) throw new ProviderUnreachable(call, 'ECONNRESET');
          },
        };
      },
      async ({ start, scripted }) => {
        expect(await failureOf(await start())).toMatchObject({
          type: 'ProviderUnavailable',
          details: { step: 'diagnoseDomain', lastError: 'requestVerification: no answer, ECONNRESET' },
        });
        // The undo has waited the rest of the outage out.
        expect(scripted.existingOf('acme')).toEqual(['dom_3']);
      },
    );
  });
});
