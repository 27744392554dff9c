import { describe, expect, test } from 'vitest';
import { onboardingStateQuery, providerReportedSignal } from '../../../src/workflows/messages.ts';
import { failureOf, hoursTaken, validInput, withOnboardings } from '../../support/onboarding-environment.ts';
import { failing, notVerified } from '../../support/scripted-provider.ts';

describe('F2: the sender is refused because the domain is not verified', () => {
  const refuseSender = (times: number) => failing('createSender', notVerified, times);

  test('once: goes back to the wait and is onboarded', async () => {
    await withOnboardings({ before: refuseSender(1) }, async ({ start, scripted }) => {
      const handle = await start();
      await handle.result();
      expect(scripted.count('createSender')).toBe(2);
      const { stages, timesNotVerified } = await handle.query(onboardingStateQuery);
      expect(timesNotVerified).toBe(1);
      expect(stages.filter((visit) => visit.stage === 'awaitingDomain')).toHaveLength(2);
    });
  });

  test('for ever: each refusal needs a fresh "verified", the pauses grow, and it ends as F2', async () => {
    await withOnboardings({ before: refuseSender(Infinity) }, async ({ start, scripted }) => {
      const handle = await start();
      const failure = await failureOf(handle);
      expect(failure).toMatchObject({
        type: 'DomainNotVerified',
        details: { exit: 'F2', stage: 'creatingSender', domainId: 'dom_3', times: 6, lastStatus: 'verified' },
      });
      expect(scripted.count('createSender')).toBe(6);
      expect(scripted.count('getDomain')).toBe(6);
      expect([...scripted.existing]).toEqual(['dom_3']);
      const { startTime, closeTime } = await handle.describe();
      expect((closeTime?.getTime() ?? 0) - startTime.getTime()).toBeGreaterThanOrEqual(21 * 60_000);
    });
  });

  test('for ever, with a window of seconds: the pause ends with the window, and so does the onboarding', async () => {
    await withOnboardings({ before: refuseSender(Infinity) }, async ({ start }) => {
      const handle = await start(validInput({ verificationWindow: '20 seconds' }));
      // Two refusals are tried again at once, the third pauses until the deadline, and the fourth has no time left.
      expect(await failureOf(handle)).toMatchObject({
        type: 'DomainNotVerified',
        details: { exit: 'F2', times: 4, lastStatus: 'verified' },
      });
      expect((await hoursTaken(handle)) * 3_600).toBeLessThan(40);
    });
  });

  test('a domain that is no longer verified when the window ends during the pause is F1', async () => {
    await withOnboardings({ before: refuseSender(Infinity) }, async ({ start, scripted }) => {
      scripted.script.verified = () => scripted.count('createSender') < 3;
      const handle = await start(validInput({ verificationWindow: '20 seconds' }));
      expect(await failureOf(handle)).toMatchObject({
        type: 'DomainVerificationTimedOut',
        details: { exit: 'F1', stage: 'awaitingDomain' },
      });
      expect(scripted.count('createSender')).toBe(3);
    });
  });
});

test('a wake-up during the wait for the delivery is answered by one check, in the same round', async () => {
  await withOnboardings({ outcome: () => 'queued' }, async ({ start, sleep, scripted, history }) => {
    const handle = await start();
    await sleep('10 hours');
    const checks = scripted.count('getEmail');
    scripted.script.outcome = () => ({ status: 'delivered', deliveredAt: null });
    await handle.signal(providerReportedSignal, { eventId: 'evt_1', type: 'email.delivered' });
    await handle.result();
    expect(scripted.count('getEmail')).toBe(checks + 1);
    expect((await history(handle)).json.match(/"name": ?"awaitEmailOutcome"/g)).toHaveLength(1);
  });
});
