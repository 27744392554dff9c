import { MockActivityEnvironment } from '@temporalio/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { watchActivities } from '../../../src/activities/upkeep/watch-domain.ts';
import { apiKeyRef } from '../../../src/onboarding/onboarding-ids.ts';
import { newOnboarding } from '../../../src/onboarding/onboarding.ts';
import { inputOf } from '../../support/valid-input.ts';
import { onboardedTenant } from '../../support/onboarded-tenant.ts';
import { answeredWith, memorySecretStore, scriptedProvider } from '../../support/scripted-provider.ts';
import { openTestRegister, type TestRegister } from '../../support/test-register.ts';
import { gate } from '../../support/held-calls.ts';

const AT = '2026-01-01T00:00:00.000Z';
const dueBy = '2026-01-01T00:01:00.000Z';

let opened: TestRegister;
beforeEach(async () => {
  opened = await openTestRegister();
});
afterEach(() => opened.end());

/** The checks of one tenant, `acme`, whose DNS has lost its record. */
async function checksOf(dns: 'missing' | 'published' = 'missing') {
  const { register, watchedDomains } = opened;
  const secrets = memorySecretStore();
  const { provider, script, checkRecords } = scriptedProvider({ dns: () => dns });
  await onboardedTenant('acme', AT, { provider, secrets, register });
  const activities = watchActivities({
    provider,
    secrets,
    register,
    watchedDomains,
    checkRecords,
    watchIntervalMs: 86_400_000,
  });
  const checkAt = (at: string): Promise<{ result: string }> =>
    new MockActivityEnvironment({ currentAttemptScheduledTimestampMs: Date.parse(at) }).run(() =>
      activities.checkWatchedDomain({ tenantId: 'acme', dueBy: at }),
    );
  return { check: () => checkAt(AT), checkAt, script, secrets, watchedDomains };
}

test('of a check that was lost and its repetition, the second to end records nothing', async () => {
  const { check, script, watchedDomains } = await checksOf();
  const { open: release, opened: lost } = gate();
  let requests = 0;
  script.before = () => (++requests === 1 ? lost : undefined);
  const first = check();
  await expect.poll(() => requests).toBe(1);
  expect(await check()).toEqual({ result: 'suspected' });
  const recorded = await watchedDomains.get('acme');
  release();
  expect(await first).toEqual({ result: 'skipped' });
  expect(await watchedDomains.get('acme')).toEqual(recorded);
});

test('a check that was recorded is not repeated', async () => {
  const { check } = await checksOf();
  expect(await check()).toEqual({ result: 'suspected' });
  expect(await check()).toEqual({ result: 'skipped' });
});

test('a check that ends during a new onboarding of the tenant records nothing', async () => {
  const { check, script, watchedDomains } = await checksOf();
  const { register } = opened;
  script.before = async () => {
    const attempt = { tenantId: 'acme', attemptId: 'attempt-2', runId: 'attempt-2', startedWith: null };
    const onboarding = newOnboarding(inputOf('acme'));
    await register.begin({ ...attempt, startedAt: dueBy, at: dueBy, onboarding });
  };
  expect(await check()).toEqual({ result: 'skipped' });
  expect(await watchedDomains.get('acme')).toBeUndefined();
});

test('a mute during a check counts for its result', async () => {
  const { check, script, watchedDomains } = await checksOf();
  script.before = async () => {
    await watchedDomains.mute('acme', { purpose: 'dkim', reason: 'moved', by: 'ada', at: AT });
  };
  expect(await check()).toEqual({ result: 'intact' });
});

test.each([
  ['published', 'intact', 'ok'],
  ['missing', 'drifted', 'drifted'],
] as const)(
  'after a claim, with a key that opens another account, the zone is watched and no 404 counts: records %s',
  async (dns, result, state) => {
    const { checkAt, script, secrets, watchedDomains } = await checksOf(dns);
    // Records what the domain needs.
    await checkAt('2026-01-02T00:00:00.000Z');
    await secrets.delete(apiKeyRef('acme'));
    script.before = (call) => {
      if (call === 'getDomain') throw answeredWith('getDomain', { httpStatus: 404, code: 'not_found' });
    };
    const results = [];
    for (const at of [
      '2026-01-03T00:00:00.000Z',
      '2026-01-05T00:00:00.000Z',
      '2026-01-07T00:00:00.000Z',
      '2026-01-09T00:00:00.000Z',
    ])
      results.push((await checkAt(at)).result);
    expect(results).toEqual([result, result, result, result]);
    expect(await watchedDomains.get('acme')).toMatchObject({ state, problem: null });
  },
);
