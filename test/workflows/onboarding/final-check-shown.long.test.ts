import { describe, expect, test } from 'vitest';
import { showOnboarding } from '../../../src/cli/onboarding/show-onboarding.ts';
import { checkNowUpdate, onboardingStateQuery, providerReportedSignal } from '../../../src/workflows/messages.ts';
import { noAnswer } from '../../support/scripted-provider.ts';
import { currentDetailsOf, whileWaiting, withOnboardings } from '../../support/onboarding-environment.ts';

const wrong = {
  status: 'wrong',
  findings: [{ code: 'value_quoted', name: 'k1._domainkey.acme.test', found: ['"v"'], fix: 'Enter it unquoted' }],
} as const;

describe('the records of an onboarding', () => {
  test('show what the last attempt of the poll found, and after the end that they were found', async () => {
    await whileWaiting({ waited: '30 seconds' }, async ({ handle, sleep, scripted, viewOf }) => {
      expect((await viewOf()).onboarding.records).toMatchObject([{ status: 'missing', findings: [] }]);

      scripted.script.record = () => wrong;
      await sleep('3 minutes');
      const waiting = await viewOf();
      expect(waiting.onboarding.records).toMatchObject([
        { status: 'wrong', found: ['"v"'], findings: [{ code: 'value_quoted' }] },
      ]);
      expect(showOnboarding(waiting)).toContain('last seen: wrong\n       Enter it unquoted');

      scripted.script.record = () => ({ status: 'found', findings: [] });
      scripted.script.verified = () => true;
      await handle.result();
      const over = await viewOf();
      expect(over.onboarding.records).toMatchObject([{ status: 'found', findings: [] }]);
      expect(showOnboarding(over)).toContain('last seen: found');
      // What is kept when Temporal has forgotten the execution, and what its UI shows.
      expect((await handle.query(onboardingStateQuery)).records).toMatchObject([{ status: 'found', findings: [] }]);
      expect(await currentDetailsOf(handle)).toMatch(/\| ✅ found \| dkim \| TXT \| `k1\._domainkey` \|/);
    });
  });

  test('show a check that a webhook caused', async () => {
    await whileWaiting({ waited: '10 hours' }, async ({ handle, sleep, scripted, viewOf }) => {
      scripted.script.record = () => wrong;
      await handle.signal(providerReportedSignal, { eventId: 'evt_1', type: 'domain.updated' });
      await sleep('10 seconds');
      expect((await viewOf()).onboarding.records).toMatchObject([{ status: 'wrong' }]);
    });
  });

  test('show what checkNow found, until a later attempt of the poll finds something else', async () => {
    await whileWaiting({ waited: '1 hour' }, async ({ handle, sleep, scripted, viewOf }) => {
      const report = await handle.executeUpdate(checkNowUpdate);
      expect(report.records).toMatchObject([{ findings: [{ code: 'not_published' }] }]);
      expect((await viewOf()).onboarding.records).toEqual(report.records);
      scripted.script.record = () => wrong;
      await sleep('30 minutes');
      expect((await viewOf()).onboarding.records).toMatchObject([{ findings: [{ code: 'value_quoted' }] }]);
    });
  });

  test('stay as last found while the provider is unreachable', async () => {
    await whileWaiting({ waited: '30 seconds' }, async ({ handle, sleep, scripted, viewOf }) => {
      scripted.script.record = () => wrong;
      await sleep('3 minutes');
      scripted.script.before = (call) => {
        throw noAnswer(call);
      };
      await handle.signal(providerReportedSignal, { eventId: 'evt_1', type: 'domain.updated' });
      await sleep('1 hour');
      expect((await viewOf()).onboarding.records).toMatchObject([{ status: 'wrong' }]);
    });
  });

  test('show after F1 what the final check found', async () => {
    await withOnboardings({ verified: () => false, record: () => wrong }, async ({ start, viewOf }) => {
      const handle = await start();
      await handle.result().catch(() => undefined);
      const { onboarding, failure } = await viewOf();
      expect(failure?.details).toMatchObject({ records: onboarding.records });
      expect(onboarding.records).toMatchObject([{ findings: [{ code: 'not_published' }] }]);
      expect(await currentDetailsOf(handle)).toContain('| `k1._domainkey` |');
    });
  });
});

describe('a provider that returns neither hosts nor zones', () => {
  test('has its hosts computed, relative to the zone that a check found', async () => {
    const record = () => ({ host: undefined, name: 'k1._domainkey.mail.acme.test' }) as never;
    await whileWaiting({ waited: '1 minute', record }, async ({ handle, sleep, viewOf }) => {
      const places = async () => (await viewOf()).onboarding.records.map(({ host, zone }) => [host, zone]);
      expect(await places()).toEqual([['k1._domainkey.mail', null]]);
      await handle.executeUpdate(checkNowUpdate);
      expect(await places()).toEqual([['k1._domainkey.mail', 'acme.test']]);
      await sleep('1 hour');
      expect(await places()).toEqual([['k1._domainkey.mail', 'acme.test']]);
    });
  });
});
