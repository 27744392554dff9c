import { afterEach, beforeEach, expect, test } from 'vitest';
import { countRunning, countStuck } from '../../../src/store/onboarding/running-tenants.ts';
import { beginOnboarding, endOnboarding } from '../../support/begin-onboarding.ts';
import { openTestRegister, type TestRegister } from '../../support/test-register.ts';

let opened: TestRegister;
beforeEach(async () => {
  opened = await openTestRegister();
});
afterEach(() => opened.end());

const HOUR_MS = 3_600_000;
const inHours = (hours: number): Date => new Date(Date.now() + hours * HOUR_MS);

test('running onboardings are counted per provider and stage, and those that have ended are not', async () => {
  const { register, database } = opened;
  expect(await countRunning(database, new Date())).toEqual([]);
  await beginOnboarding(register, 'acme');
  for (const tenantId of ['ben', 'cleo']) await beginOnboarding(register, tenantId, undefined, 'resend');
  await beginOnboarding(register, 'dora', undefined, 'ses');
  await endOnboarding(register, 'dora', { outcome: 'terminated' });
  expect(await countRunning(database, new Date())).toEqual([
    { provider: 'resend', stage: 'issuingKey', onboardings: 2, overdue: 0 },
    { provider: 'sendoff', stage: 'issuingKey', onboardings: 1, overdue: 0 },
  ]);
});

test('an onboarding is overdue once its stage has lasted longer than a step, a wait with its extensions, or an undo may', async () => {
  const { register, database } = opened;
  await beginOnboarding(register, 'acme');
  const overdueIn = async (hours: number): Promise<number> =>
    (await countRunning(database, inHours(hours))).reduce((sum, { overdue }) => sum + overdue, 0);
  expect([await overdueIn(29), await overdueIn(31)]).toEqual([0, 1]);
  const acme = await register.get('acme');
  if (acme === undefined) throw new Error('not recorded');
  const run = { ...acme, at: new Date().toISOString() };
  await register.enter(run, 'awaitingDomain', inHours(72).toISOString());
  expect([await overdueIn(101), await overdueIn(103)]).toEqual([0, 1]);
  await register.extend(run, inHours(96).toISOString());
  expect([await overdueIn(125), await overdueIn(127)]).toEqual([0, 1]);
});

test('stuck onboardings are counted', async () => {
  const { register, database } = opened;
  expect(await countStuck(database)).toBe(0);
  for (const tenantId of ['acme', 'ben']) await beginOnboarding(register, tenantId);
  const acme = await register.get('acme');
  if (acme === undefined) throw new Error('not recorded');
  const at = new Date().toISOString();
  await register.noteStuck({ ...acme, at }, { since: at, message: 'TMPRL1100' });
  expect(await countStuck(database)).toBe(1);
});
