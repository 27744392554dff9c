import { afterEach, beforeEach, expect, test } from 'vitest';
import { runningByProvider } from '../../../src/store/onboarding/running-tenants.ts';
import { beginOnboarding } from '../../support/begin-onboarding.ts';
import { openTestRegister, type TestRegister } from '../../support/test-register.ts';

let opened: TestRegister;
beforeEach(async () => {
  opened = await openTestRegister();
});
afterEach(() => opened.end());

test('running onboardings are counted per provider, and those that have ended are not', async () => {
  const { register, database } = opened;
  expect(await runningByProvider(database)).toEqual(new Map());
  await beginOnboarding(register, 'acme');
  for (const tenantId of ['ben', 'cleo']) await beginOnboarding(register, tenantId, undefined, 'resend');
  await beginOnboarding(register, 'dora', undefined, 'ses');
  const dora = await register.get('dora');
  if (dora === undefined) throw new Error('not recorded');
  await register.end({ ...dora, at: new Date().toISOString(), outcome: 'terminated', result: null, failure: null });
  expect(await runningByProvider(database)).toEqual(
    new Map([
      ['resend', 2],
      ['sendoff', 1],
    ]),
  );
});
