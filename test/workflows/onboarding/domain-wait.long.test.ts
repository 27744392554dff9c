import { describe, expect, test } from 'vitest';
import {
  checkNowUpdate,
  extendVerificationUpdate,
  onboardingStateQuery,
  providerReportedSignal,
} from '../../../src/workflows/messages.ts';
import { findingKey } from '../../../src/workflows/search-attributes.ts';
import { heldCalls } from '../../support/held-calls.ts';
import {
  afterHours,
  failureOf,
  hoursSinceFirstAsked,
  hoursTaken,
  inputOf,
  manyOnboardings,
  outage,
  whileWaiting,
  withOnboardings,
} from '../../support/onboarding-environment.ts';
import { failing, noAnswer, type Script } from '../../support/scripted-provider.ts';
import { signalWith, unreadable } from '../../support/unreadable-signals.ts';

const HOUR_MS = 3_600_000;

const finding = {
  ...{ code: 'host_doubled' as const, name: 'k1._domainkey.acme.test.acme.test' },
  ...{ found: [], fix: 'Correct it' },
};

describe('the wait for the domain', () => {
  test('onboards a domain that the final check after the deadline finds verified', async () => {
    await withOnboardings({ verified: () => false }, async ({ start, scripted }) => {
      scripted.script.before = (call) => {
        // Only the check after the deadline asks the provider to verify.
        if (call === 'requestVerification') scripted.script.verified = () => true;
      };
      const handle = await start();
      await handle.result();
      expect(scripted.count('requestVerification')).toBe(1);
    });
  });

  test('does not end as F1 while a name server does not answer', async () => {
    await withOnboardings(
      (clock) => {
        const elapsedHours = hoursSinceFirstAsked(clock);
        return {
          verified: async () => (await elapsedHours()) < 0,
          dns: async () => ((await elapsedHours()) < 80 ? 'inconclusive' : 'missing'),
        };
      },
      async ({ start }) => {
        const handle = await start();
        const failure = await failureOf(handle);
        expect(failure).toMatchObject({ type: 'DomainVerificationTimedOut', details: { conclusive: true } });
        expect(await hoursTaken(handle)).toBeGreaterThan(80);
      },
    );
  });

  test('does not end as F1 while the provider is unreachable, and continues when the domain was verified meanwhile', async () => {
    await withOnboardings(
      (clock) => ({ verified: afterHours(74, clock), before: outage(clock, { from: 71, until: 76 }) }),
      async ({ start }) => {
        const handle = await start();
        await handle.result();
        expect(await hoursTaken(handle)).toBeGreaterThan(76);
      },
    );
  });

  test('onboards a domain verified at hour 80 after an Update at hour 71 extended the window', async () => {
    await withOnboardings(
      (clock) => ({ verified: afterHours(80, clock) }),
      async ({ start, sleep }) => {
        const handle = await start();
        await sleep('71 hours');
        const before = await handle.query(onboardingStateQuery);
        const { verificationDeadline } = await handle.executeUpdate(extendVerificationUpdate, {
          args: [{ hours: 24, by: 'ops', reason: 'the registrar is slow' }],
        });
        expect(Date.parse(verificationDeadline) - Date.parse(before.verificationDeadline ?? '')).toBe(24 * HOUR_MS);
        const result = (await handle.result()) as { verifiedAfterMs: number };
        expect(result.verifiedAfterMs / HOUR_MS).toBeGreaterThan(80);
      },
    );
  });

  test('goes on with the same poll after a wake-up that brings nothing, and looks again a minute later', async () => {
    await whileWaiting({ waited: '10 hours' }, async ({ handle, sleep, scripted, history, register }) => {
      const polled = scripted.count('getDomain');
      // The next attempt of the poll is hours away then.
      while (scripted.count('getDomain') === polled) await sleep('5 minutes');
      const checks = scripted.count('getDomain');
      const checkedAt = async () => Date.parse((await register.get('acme'))?.checkedAt ?? '');
      const polledAt = await checkedAt();
      await handle.signal(providerReportedSignal, { eventId: 'evt_1', type: 'domain.verified' });
      await sleep('30 seconds');
      expect(scripted.count('getDomain')).toBe(checks + 1);
      expect(await checkedAt()).toBeGreaterThan(polledAt);
      await sleep('30 minutes');
      expect(scripted.count('getDomain')).toBe(checks + 2);
      scripted.script.verified = () => true;
      await handle.signal(providerReportedSignal, { eventId: 'evt_2', type: 'domain.verified' });
      await handle.result();
      expect(scripted.count('getDomain')).toBe(checks + 3);
      expect((await history(handle)).json.match(/"name": ?"checkDomain"/g)).toHaveLength(1);
    });
  });

  test('finds in the second look what a wake-up has announced too early', async () => {
    await whileWaiting({ waited: '10 hours' }, async ({ handle, sleep, scripted }) => {
      await handle.signal(providerReportedSignal, { eventId: 'evt_1', type: 'domain.verified' });
      await sleep('10 seconds');
      scripted.script.verified = () => true;
      await sleep('2 minutes');
      await expect(handle.result()).resolves.toMatchObject({ domainId: 'dom_3' });
    });
  });

  test('shows another mistake at once that is there at a wake-up', async () => {
    await whileWaiting({ waited: '10 hours' }, async ({ handle, sleep, scripted }) => {
      scripted.script.record = () => ({ status: 'wrong', findings: [finding] });
      await handle.signal(providerReportedSignal, { eventId: 'evt_1', type: 'domain.failed' });
      await sleep('10 seconds');
      const { records } = await handle.query(onboardingStateQuery);
      expect(records[0]?.findings).toMatchObject([{ code: 'host_doubled', name: finding.name }]);
    });
  });

  test('shows a mistake again at a wake-up that a check for a caller did not find', async () => {
    const record = () => ({ status: 'wrong' as const, findings: [finding] });
    await whileWaiting({ waited: '10 hours', record }, async ({ handle, sleep }) => {
      const listed = async () => (await handle.describe()).typedSearchAttributes.get(findingKey);
      expect(await listed()).toEqual(['host_doubled']);
      await handle.executeUpdate(checkNowUpdate);
      expect(await listed()).toBeUndefined();
      await handle.signal(providerReportedSignal, { eventId: 'evt_1', type: 'domain.failed' });
      await sleep('10 seconds');
      expect(await listed()).toEqual(['host_doubled']);
    });
  });

  test('shows no longer a mistake that a check for a caller and a wake-up found, once a poll does not', async () => {
    const checkRecords: NonNullable<Script['checkRecords']> = async (domain, expected) => {
      const findings = [{ ...finding, severity: 'error', expected: '' }] as const;
      const wrong = { host: '', zone: domain, nameServers: [], status: 'wrong', found: [], findings } as const;
      const records = expected.map(({ purpose, type, name }) => ({ purpose, type, name, ...wrong }));
      return { domain, zone: domain, records, verified: false, conclusive: true };
    };
    await whileWaiting({ waited: '10 hours', checkRecords }, async ({ handle, sleep, scripted }) => {
      const listed = async () => (await handle.describe()).typedSearchAttributes.get(findingKey);
      await handle.executeUpdate(checkNowUpdate);
      scripted.script.record = () => ({ status: 'wrong', findings: [finding] });
      await handle.signal(providerReportedSignal, { eventId: 'evt_1', type: 'domain.failed' });
      // With the second look.
      await sleep('2 minutes');
      expect(await listed()).toEqual(['host_doubled']);
      scripted.script.record = () => ({});
      await sleep('6 hours');
      expect(await listed()).toBeUndefined();
    });
  });

  test('begins another round when the check after a wake-up gets no answer', async () => {
    await whileWaiting({ waited: '10 hours' }, async ({ handle, scripted, history }) => {
      scripted.script.before = failing('getDomain', noAnswer, 1);
      scripted.script.verified = () => true;
      const checks = scripted.count('getDomain');
      await handle.signal(providerReportedSignal, { eventId: 'evt_1', type: 'domain.verified' });
      await handle.result();
      expect(scripted.count('getDomain')).toBe(checks + 2);
      expect((await history(handle)).json.match(/"name": ?"checkDomain"/g)).toHaveLength(2);
    });
  });

  test('answers extendVerification without waiting for the provider', async () => {
    await whileWaiting({ waited: '10 hours' }, async ({ handle, scripted }) => {
      const check = heldCalls((call) => call === 'getDomain');
      scripted.script.before = check.hold;
      await handle.executeUpdate(extendVerificationUpdate, {
        args: [{ hours: 24, by: 'ops', reason: 'asked for it' }],
      });
      await check.untilHeld();
      check.letGo();
    });
  });

  test('refuses the thirty-first checkNow until an hour has passed', async () => {
    await whileWaiting({ waited: '1 hour' }, async ({ handle, sleep }) => {
      for (let group = 0; group < 5; group += 1) {
        await Promise.all(Array.from({ length: 6 }, () => handle.executeUpdate(checkNowUpdate)));
      }
      const refused = { cause: { type: 'UpdateTooSoon', details: [expect.any(String)] } };
      await expect(handle.executeUpdate(checkNowUpdate)).rejects.toMatchObject(refused);
      await sleep('61 minutes');
      await handle.executeUpdate(checkNowUpdate);
      await expect(handle.executeUpdate(checkNowUpdate)).rejects.toMatchObject(refused);
    });
  });

  test('a refused checkNow adds nothing to the history', async () => {
    // The time-skipping server keeps the Workflow Task of a refused Update.
    await manyOnboardings({ verified: () => false }, async ({ start, history }) => {
      const handle = await start(inputOf('impatient'));
      const stage = async () => (await handle.query(onboardingStateQuery)).stage;
      await expect.poll(stage, { timeout: 20_000 }).toBe('awaitingDomain');
      for (let group = 0; group < 5; group += 1) {
        await Promise.all(Array.from({ length: 6 }, () => handle.executeUpdate(checkNowUpdate)));
      }
      const refused = () =>
        expect(handle.executeUpdate(checkNowUpdate)).rejects.toMatchObject({ cause: { type: 'UpdateTooSoon' } });
      // May share the Workflow Task that the last check has left.
      await refused();
      const { events } = await history(handle);
      for (let time = 0; time < 20; time += 1) await refused();
      expect((await history(handle)).events).toBe(events);
      await handle.terminate();
    });
  });

  test('refuses to extend the window after it has ended', async () => {
    await whileWaiting({ waited: '73 hours', dns: () => 'inconclusive' }, async ({ handle }) => {
      await expect(
        handle.executeUpdate(extendVerificationUpdate, { args: [{ hours: 24, by: 'ops', reason: 'late' }] }),
      ).rejects.toMatchObject({ cause: { message: 'the verification window is over; the final check is running' } });
    });
  });

  test('takes a providerReported Signal without a usable event ID as a wake-up, without failing a Workflow Task', async () => {
    await whileWaiting({ waited: '1 hour' }, async ({ handle, scripted }) => {
      const before = (await handle.query(onboardingStateQuery)).wakeUps;
      const wakeUps = [[], [null], ['text'], [7], [{}], [{ eventId: null }], [{ eventId: { a: 1 } }], [[]]];
      for (const args of wakeUps) await handle.signal('providerReported', ...args);
      for (const payloads of unreadable) await signalWith(handle, 'providerReported', payloads);
      expect((await handle.query(onboardingStateQuery)).wakeUps).toBe(before + wakeUps.length + unreadable.length);
      scripted.script.verified = () => true;
      await handle.signal('providerReported');
      await handle.result();
    });
  });
});
