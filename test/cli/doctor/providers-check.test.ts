import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Diagnosis } from '../../../src/cli/doctor/check.ts';
import { providersCheck } from '../../../src/cli/doctor/checks/providers-check.ts';
import { createDoctorContext } from '../../../src/cli/doctor/doctor-context.ts';
import { openDatabase } from '../../../src/store/database.ts';
import { createSqlRegister } from '../../../src/store/onboarding/sql-register.ts';
import { beginOnboarding } from '../../support/begin-onboarding.ts';
import { type TestDatabase, testDatabase } from '../../support/test-database.ts';

let made: TestDatabase;
beforeEach(async () => {
  made = await testDatabase('orchestrator');
});
afterEach(() => made.end());

const embedded = { EMAIL_PROVIDER_OPERATOR_TOKEN: 'a-token-of-the-operator' };
const resend = { EMAIL_PROVIDER: 'resend', RESEND_API_KEY: 're_x' };

async function begin(tenants: Readonly<Record<string, 'resend' | 'ses' | undefined>>): Promise<void> {
  const database = await openDatabase(made.url);
  const register = createSqlRegister(database);
  for (const [tenantId, provider] of Object.entries(tenants))
    await beginOnboarding(register, tenantId, undefined, provider);
  await database.destroy();
}

async function found(environment: Readonly<Record<string, string>>): Promise<Diagnosis> {
  const context = createDoctorContext({ SENDOFF_DATABASE_URL: made.url, ...environment }, {});
  try {
    return await providersCheck.run(context, new AbortController().signal);
  } finally {
    await context.close();
  }
}

test('says how many onboardings run at each provider', async () => {
  expect(await found(embedded)).toEqual({ state: 'ok', found: 'no onboarding runs', remedy: null });
  await begin({ acme: undefined, ben: undefined, cleo: 'resend' });
  expect(await found({ ...embedded, ...resend })).toEqual({
    state: 'ok',
    found: 'running onboardings: 1 at resend, 2 at sendoff',
    remedy: null,
  });
});

test('onboardings at a provider whose settings are gone are a problem, although others run', async () => {
  await begin({ acme: undefined, ben: 'resend', cleo: 'ses', dora: 'ses' });
  expect(await found(embedded)).toEqual({
    state: 'problem',
    found:
      'running onboardings: 1 at resend, 1 at sendoff, 2 at ses. Those at resend and ses stand still, because settings are missing',
    remedy:
      'Set these on each server and Worker until no onboarding runs there: RESEND_API_KEY; SES_ACCESS_KEY_ID, SES_SECRET_ACCESS_KEY, SES_REGION, SES_TOPIC_ARN',
  });
});

test('a part of the settings is not enough', async () => {
  await begin({ cleo: 'ses' });
  const part = { SES_REGION: 'eu-west-1', SES_ACCESS_KEY_ID: 'AKIA1' };
  expect(await found({ ...embedded, ...part })).toMatchObject({ state: 'problem' });
  const whole = { ...part, SES_SECRET_ACCESS_KEY: 's', SES_TOPIC_ARN: 'arn:aws:sns:eu-west-1:123456789012:sendoff' };
  expect(await found({ ...embedded, ...whole })).toMatchObject({ state: 'ok' });
});

test('onboardings at the embedded email service need its operator token, also after a change of EMAIL_PROVIDER', async () => {
  await begin({ acme: undefined });
  expect(await found(resend)).toEqual({
    state: 'problem',
    found: 'running onboardings: 1 at sendoff. Those at sendoff stand still, because settings are missing',
    remedy: 'Set these on each server and Worker until no onboarding runs there: EMAIL_PROVIDER_OPERATOR_TOKEN',
  });
});
