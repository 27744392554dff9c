import { describe, expect, test } from 'vitest';
import { checkNowUpdate, onboardingStateQuery, providerReportedSignal } from '../../../src/workflows/messages.ts';
import { exitKey, reasonKey, stageKey } from '../../../src/workflows/search-attributes.ts';
import {
  afterHours,
  failureOf,
  hoursTaken,
  shortestPauses,
  whileWaiting,
  withOnboardings,
} from '../../support/onboarding-environment.ts';
import { answeredWith } from '../../support/scripted-provider.ts';

const HOUR_MS = 3_600_000;

describe('the wait for the domain', () => {
  test('onboards a domain verified at hour 71, with at most 60 checks and 60 events', async () => {
    await withOnboardings(
      (clock) => ({ verified: afterHours(71, clock) }),
      async ({ start, history, scripted }) => {
        const handle = await start();
        const result = (await handle.result()) as { verifiedAfterMs: number; polls: number };
        expect(result.verifiedAfterMs / HOUR_MS).toBeGreaterThan(71);
        expect(result.verifiedAfterMs / HOUR_MS).toBeLessThan(72.1);
        expect(scripted.count('getDomain')).toBeLessThanOrEqual(60);
        expect((await history(handle)).events).toBeLessThanOrEqual(60);
      },
    );
  });

  test('ends as F1 after 72 hours with the findings, at most 60 checks and 60 events', async () => {
    await withOnboardings({ verified: () => false }, async ({ start, history, scripted, secretStore }) => {
      const handle = await start();
      const failure = await failureOf(handle);
      expect(failure).toMatchObject({
        type: 'DomainVerificationTimedOut',
        message:
          'acme.test was not verified within 72 hours. Publish v=DKIM1; k=rsa; p=dom_3 at k1._domainkey.acme.test.\nTo start again, use PUT /onboardings/acme or sendoff restart acme --subject TEXT --body TEXT; do not reset this Workflow',
        details: {
          exit: 'F1',
          stage: 'awaitingDomain',
          domainId: 'dom_3',
          windowHours: 72,
          conclusive: true,
          records: [{ purpose: 'dkim', status: 'missing', findings: [{ code: 'not_published' }] }],
          undo: [
            { step: 'registerDomain', resourceId: 'dom_3', result: 'kept' },
            { step: 'registerWebhook', resourceId: 'whk_2', result: 'undone' },
            { step: 'issueApiKey', resourceId: 'key_1', result: 'undone' },
          ],
        },
      });
      expect([...scripted.existing]).toEqual(['dom_3']);
      expect(secretStore.values.size).toBe(0);
      expect(scripted.count('getDomain')).toBeLessThanOrEqual(60);
      expect((await history(handle)).events).toBeLessThanOrEqual(60);
      const polls = (failure.details as { polls: number }).polls;
      expect(Math.abs(polls - scripted.count('getDomain'))).toBeLessThanOrEqual(15);
      const { typedSearchAttributes } = await handle.describe();
      expect(typedSearchAttributes.get(reasonKey)).toBe('DomainVerificationTimedOut');
      expect(typedSearchAttributes.get(exitKey)).toBe('F1');
      expect(typedSearchAttributes.get(stageKey)).toBe('done');
    });
  });

  test('ends as an inconclusive F1 when a name server stays silent for a day after the deadline', async () => {
    shortestPauses();
    await withOnboardings({ verified: () => false, dns: () => 'inconclusive' }, async ({ start }) => {
      const handle = await start();
      const failure = await failureOf(handle);
      expect(failure).toMatchObject({ type: 'DomainVerificationTimedOut', details: { conclusive: false } });
      expect(await hoursTaken(handle)).toBeGreaterThanOrEqual(96);
    });
  });

  test('checks at once on a wake-up, in the same round, and once for the same webhook twice', async () => {
    await whileWaiting({ waited: '10 hours' }, async ({ handle, scripted, history }) => {
      const checks = scripted.count('getDomain');
      scripted.script.verified = () => true;
      await handle.signal(providerReportedSignal, { eventId: 'evt_1', type: 'domain.verified' });
      await handle.signal(providerReportedSignal, { eventId: 'evt_1', type: 'domain.verified' });
      await handle.result();
      expect(scripted.count('getDomain')).toBe(checks + 1);
      const { events, json } = await history(handle);
      expect(events).toBeLessThanOrEqual(30);
      expect(json.match(/"name": ?"checkDomain"/g)).toHaveLength(1);
    });
  });

  test('answers checkNow with what is missing, and refuses it when nothing waits for the domain', async () => {
    await whileWaiting({ waited: '1 hour' }, async ({ handle, sleep, scripted }) => {
      const report = await handle.executeUpdate(checkNowUpdate);
      expect(report).toMatchObject({ verified: false, published: false, conclusive: true });
      expect(report.records[0]).toMatchObject({ purpose: 'dkim', findings: [{ code: 'not_published' }] });
      expect((await handle.query(onboardingStateQuery)).records).toEqual(report.records);

      scripted.script.outcome = () => 'queued';
      await sleep('10 seconds');
      // Not earlier: the poll may be the first to find it, and the Update is then refused.
      scripted.script.before = (call) => {
        if (call === 'requestVerification') scripted.script.verified = () => true;
      };
      expect(await handle.executeUpdate(checkNowUpdate)).toMatchObject({ verified: true });
      await sleep('1 minute');
      await expect(handle.executeUpdate(checkNowUpdate)).rejects.toMatchObject({
        cause: { message: 'the onboarding is not waiting for its domain; its stage is awaitingDelivery' },
      });
    });
  });
});

test('a sender refused because the domain was deleted meanwhile returns to the domain wait, and ends typed within minutes', () =>
  withOnboardings({}, async ({ start, scripted }) => {
    let isDeleted = false;
    scripted.script.before = (call) => {
      if (call === 'createSender') {
        isDeleted = true;
        throw answeredWith(call, { httpStatus: 422, code: 'domain_not_verified' });
      }
      if (call === 'getDomain' && isDeleted) throw answeredWith(call, { httpStatus: 404, code: 'not_found' });
    };
    const handle = await start();
    expect(await failureOf(handle)).toMatchObject({
      type: 'ProviderRejected',
      message: expect.stringContaining('GET /domains/dom_3: 404 not_found') as string,
    });
    // The undo repeats it once, to learn whether it created anything.
    expect(scripted.count('createSender')).toBe(2);
    expect(await hoursTaken(handle)).toBeLessThan(0.25);
  }));
