import { MockActivityEnvironment } from '@temporalio/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { watchActivities } from '../../src/activities/watch-domain.ts';
import { newOnboarding } from '../../src/onboarding/onboarding.ts';
import { inputOf } from '../support/valid-input.ts';
import { onboardedTenant } from '../support/onboarded-tenant.ts';
import { memorySecretStore, scriptedProvider } from '../support/scripted-provider.ts';
import { openTestRegister, type TestRegister } from '../support/test-register.ts';

const AT = '2026-01-01T00:00:00.000Z';
const dueBy = '2026-01-01T00:01:00.000Z';

let opened: TestRegister;
beforeEach(async () => {
  opened = await openTestRegister();
});
afterEach(() => opened.end());

/** The checks of one tenant, `acme`, whose DNS has lost its record. */
async function checksOf() {
  const { register, watchedDomains } = opened;
  const secrets = memorySecretStore();
  const { provider, script, checkRecords } = scriptedProvider({ dns: () => 'missing' });
  await onboardedTenant('acme', AT, { provider, secrets, register });
  const activities = watchActivities({
    provider,
    secrets,
    register,
    watchedDomains,
    checkRecords,
    watchIntervalMs: 86_400_000,
  });
  const info = { currentAttemptScheduledTimestampMs: Date.parse(AT) };
  const check = () =>
    new MockActivityEnvironment(info).run(() => activities.checkWatchedDomain({ tenantId: 'acme', dueBy }));
  return { check, script, watchedDomains };
}

test('of a check that was lost and its repetition, the second to end records nothing', async () => {
  const { check, script, watchedDomains } = await checksOf();
  let release = (): void => undefined;
  const lost = new Promise<void>((resolve) => {
    release = resolve;
  });
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
