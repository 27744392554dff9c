import { describe, expect, test } from 'vitest';
import { showOnboarding } from '../../../src/cli/onboarding/show-onboarding.ts';
import { ProviderUnreachable } from '../../../src/email-provider/provider-error.ts';
import type { OnboardingView } from '../../../src/client/onboarding/onboarding-view.ts';
import type { OnboardingViews } from '../../../src/client/onboarding/onboarding-views.ts';
import { checkNowUpdate, onboardingStateQuery, providerReportedSignal } from '../../../src/workflows/messages.ts';
import { currentDetailsOf, withOnboardings } from '../../support/onboarding-environment.ts';

async function viewOf(views: OnboardingViews): Promise<OnboardingView> {
  const view = await views.get('acme');
  if (view === undefined) throw new Error('the tenant has no onboarding');
  return view;
}

const wrong = {
  status: 'wrong',
  findings: [{ code: 'value_quoted', name: 'k1._domainkey.acme.test', found: ['"v"'], fix: 'Enter it unquoted' }],
} as const;

describe('the records of an onboarding', () => {
  test('show what the last attempt of the poll found, and after the end that they were found', async () => {
    await withOnboardings({ verified: () => false }, async ({ start, sleep, scripted, views }) => {
      const handle = await start();
      await sleep('30 seconds');
      expect((await viewOf(views)).onboarding.records).toMatchObject([{ status: 'missing', findings: [] }]);

      scripted.script.record = () => wrong;
      await sleep('3 minutes');
      const waiting = await viewOf(views);
      expect(waiting.onboarding.records).toMatchObject([
        { status: 'wrong', found: ['"v"'], findings: [{ code: 'value_quoted' }] },
      ]);
      expect(showOnboarding(waiting)).toContain('last seen: wrong\n       Enter it unquoted');

      scripted.script.record = () => ({ status: 'found', findings: [] });
      scripted.script.verified = () => true;
      await handle.result();
      const over = await viewOf(views);
      expect(over.onboarding.records).toMatchObject([{ status: 'found', findings: [] }]);
      expect(showOnboarding(over)).toContain('last seen: found');
      // What is kept when Temporal has forgotten the execution, and what its UI shows.
      expect((await handle.query(onboardingStateQuery)).records).toMatchObject([{ status: 'found', findings: [] }]);
      expect(await currentDetailsOf(handle)).toMatch(/\| ✅ found \| dkim \| TXT \| `k1\._domainkey` \|/);
    });
  });

  test('show a check that a webhook caused', async () => {
    await withOnboardings({ verified: () => false }, async ({ start, sleep, scripted, views }) => {
      const handle = await start();
      await sleep('10 hours');
      scripted.script.record = () => wrong;
      await handle.signal(providerReportedSignal, { eventId: 'evt_1', type: 'domain.updated' });
      await sleep('10 seconds');
      expect((await viewOf(views)).onboarding.records).toMatchObject([{ status: 'wrong' }]);
      await handle.terminate();
    });
  });

  test('show what checkNow found, until a later attempt of the poll finds something else', async () => {
    await withOnboardings({ verified: () => false }, async ({ start, sleep, scripted, views }) => {
      const handle = await start();
      await sleep('1 hour');
      const report = await handle.executeUpdate(checkNowUpdate);
      expect(report.records).toMatchObject([{ findings: [{ code: 'not_published' }] }]);
      expect((await viewOf(views)).onboarding.records).toEqual(report.records);
      scripted.script.record = () => wrong;
      await sleep('30 minutes');
      expect((await viewOf(views)).onboarding.records).toMatchObject([{ findings: [{ code: 'value_quoted' }] }]);
      await handle.terminate();
    });
  });

  test('stay as last found while the provider is unreachable', async () => {
    await withOnboardings({ verified: () => false }, async ({ start, sleep, scripted, views }) => {
      const handle = await start();
      await sleep('30 seconds');
      scripted.script.record = () => wrong;
      await sleep('3 minutes');
      scripted.script.before = (call) => {
        throw new ProviderUnreachable(call, 'ECONNREFUSED');
      };
      await handle.signal(providerReportedSignal, { eventId: 'evt_1', type: 'domain.updated' });
      await sleep('1 hour');
      expect((await viewOf(views)).onboarding.records).toMatchObject([{ status: 'wrong' }]);
      await handle.terminate();
    });
  });

  test('show after F1 what the final check found', async () => {
    await withOnboardings({ verified: () => false, record: () => wrong }, async ({ start, views }) => {
      const handle = await start();
      await handle.result().catch(() => undefined);
      const { onboarding, failure } = await viewOf(views);
      expect(failure?.details).toMatchObject({ records: onboarding.records });
      expect(onboarding.records).toMatchObject([{ findings: [{ code: 'not_published' }] }]);
      expect(await currentDetailsOf(handle)).toContain('| `k1._domainkey` |');
    });
  });
});

describe('a provider that returns neither hosts nor zones', () => {
  test('has its hosts computed, relative to the zone that a check found', async () => {
    const record = () => ({ host: undefined, name: 'k1._domainkey.mail.acme.test' }) as never;
    await withOnboardings({ verified: () => false, record }, async ({ start, sleep, views }) => {
      const handle = await start();
      await sleep('1 minute');
      const places = async () => (await viewOf(views)).onboarding.records.map(({ host, zone }) => [host, zone]);
      expect(await places()).toEqual([['k1._domainkey.mail', null]]);
      await handle.executeUpdate(checkNowUpdate);
      expect(await places()).toEqual([['k1._domainkey.mail', 'acme.test']]);
      await sleep('1 hour');
      expect(await places()).toEqual([['k1._domainkey.mail', 'acme.test']]);
      await handle.terminate();
    });
  });
});
