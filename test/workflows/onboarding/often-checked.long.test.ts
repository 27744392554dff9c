// However often a wait is woken, checked and extended, it stays within what one history may have.
import { describe, expect, test } from 'vitest';
import {
  checkNowUpdate,
  extendVerificationUpdate,
  onboardingStateQuery,
  providerReportedSignal,
} from '../../../src/workflows/messages.ts';
import { whileWaiting, withOnboardings } from '../../support/onboarding-environment.ts';

/** Nearly what the server takes. */
const LARGE = 'x'.repeat(1_500_000);
describe('a wait that is woken, checked and extended as often as possible', () => {
  test('merges two hundred simultaneous wake-ups into a few checks', async () => {
    await whileWaiting({ waited: '10 hours' }, async ({ handle, sleep, scripted }) => {
      const checks = scripted.count('getDomain');
      const wakeUps = Array.from({ length: 200 }, (_, index) =>
        handle.signal(providerReportedSignal, { eventId: `evt_${index}`, type: 'domain.verified' }),
      );
      await Promise.all(wakeUps);
      await sleep('1 minute');
      expect(scripted.count('getDomain') - checks).toBeLessThanOrEqual(5);
    });
  });

  test('keeps checks rare when checkNow comes every six hours, and shares one check among forty simultaneous calls', async () => {
    await withOnboardings({ verified: () => false }, async ({ start, sleep, scripted, history }) => {
      const handle = await start();
      for (let hours = 0; hours < 66; hours += 6) {
        await sleep('6 hours');
        await handle.executeUpdate(checkNowUpdate);
      }
      expect(scripted.count('getDomain')).toBeLessThanOrEqual(100);
      const verifications = scripted.count('requestVerification');
      await Promise.all(Array.from({ length: 9 }, () => handle.executeUpdate(checkNowUpdate)));
      expect(scripted.count('requestVerification') - verifications).toBeLessThanOrEqual(2);
      expect((await history(handle)).events).toBeLessThanOrEqual(330);
      await handle.terminate();
    });
  });

  test('stays far below the limits of a history, however often the longest wait is checked and extended', async () => {
    const changes = 8;
    const [CHECKS_MAX, EXTENSIONS_MAX] = [30 + 30 * 24, 30 * 24];
    await whileWaiting({ waited: '1 hour' }, async ({ handle, sleep, history }) => {
      const size = async () => {
        const { events, json } = await history(handle);
        return { events, bytes: json.length };
      };
      const begun = await size();
      for (let check = 0; check < changes; check += 1) {
        await sleep('10 seconds');
        await handle.executeUpdate(checkNowUpdate);
      }
      const checked = await size();
      for (let time = 0; time < changes; time += 1) {
        await sleep('10 seconds');
        await handle.executeUpdate(extendVerificationUpdate, {
          args: [{ hours: 1, by: 'ops', reason: 'x'.repeat(1_000) }],
        });
      }
      const extended = await size();
      const worst = (of: 'events' | 'bytes') =>
        begun[of] + ((checked[of] - begun[of]) * CHECKS_MAX + (extended[of] - checked[of]) * EXTENSIONS_MAX) / changes;
      expect(worst('events')).toBeLessThan(51_200 / 2);
      expect(worst('bytes')).toBeLessThan(50_000_000 / 2);
      expect(CHECKS_MAX + EXTENSIONS_MAX).toBeLessThan(2_000);
    });
  });

  test('refuses an extendVerification that it cannot use, and names what it expected', async () => {
    const refusals: [unknown[], string][] = [
      [[], 'expected {"hours": 24, "by": "who", "reason": "why"}; found nothing'],
      [[null], 'expected {"hours": 24, "by": "who", "reason": "why"}; found null'],
      [[[24]], 'expected {"hours": 24, "by": "who", "reason": "why"}; found [24]'],
      [[{ hours: '24', by: 'ops', reason: 'late' }], 'hours must be a number from 1 to 720; found "24"'],
      [[{ by: 'ops', reason: 'late' }], 'hours must be a number from 1 to 720; found nothing'],
      [[{ hours: 0.5, by: 'ops', reason: 'late' }], 'hours must be a number from 1 to 720; found 0.5'],
      [[{ hours: 2_000, by: 'ops', reason: 'late' }], 'hours must be a number from 1 to 720; found 2000'],
      [[{ hours: 1, reason: 'late' }], 'by must be a string of 1 to 300 characters; found nothing'],
      [[{ hours: 1, by: 'ops', reason: { a: 1 } }], 'reason must be a string of 1 to 1000 characters; found {"a":1}'],
      [
        [{ hours: 1, by: 'ops', reason: 'late', note: LARGE }],
        '"note" is not a field of an extension: it has hours, by and reason',
      ],
      [[{ hours: 1, by: 'ops', reason: 'late' }, LARGE], `expected no more data; found "${LARGE.slice(0, 76)}...`],
      [
        [{ hours: 720, by: 'ops', reason: 'late' }],
        'the verification window may last at most 30 days, extensions included, so this one may last at most 648 more hours; found 720',
      ],
    ];
    await whileWaiting({ waited: '1 hour' }, async ({ handle }) => {
      for (const [sent, message] of refusals) {
        const answer = handle.executeUpdate('extendVerification', { args: sent as [] });
        await expect(answer, message).rejects.toMatchObject({ cause: { message } });
      }
      await expect(handle.executeUpdate('checkNow', { args: [LARGE] as never })).rejects.toMatchObject({
        cause: { message: expect.stringContaining('expected no more data; found') as string },
      });
      expect(JSON.stringify(await handle.fetchHistory()).length).toBeLessThan(1_000_000);
    });
  });

  test('extends the window to 30 days in all, and no further', async () => {
    await whileWaiting({ waited: '1 hour' }, async ({ handle }) => {
      const extend = (hours: number) =>
        handle.executeUpdate(extendVerificationUpdate, { args: [{ hours, by: 'ops', reason: 'late' }] });
      await extend(600);
      await expect(extend(48.5)).rejects.toMatchObject({
        cause: { message: expect.stringContaining('at most 48 more hours; found 48.5') as string },
      });
      const { verificationDeadline } = await extend(48);
      const stages = (await handle.query(onboardingStateQuery)).stages;
      const registeredAt = stages.find(({ stage }) => stage === 'awaitingDomain')?.at ?? '';
      expect(Date.parse(verificationDeadline) - Date.parse(registeredAt)).toBe(30 * 24 * 3_600_000);
      await expect(extend(1)).rejects.toMatchObject({
        cause: { message: expect.stringContaining('may last no more; found 1') as string },
      });
    });
  });
});
