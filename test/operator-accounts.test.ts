import { afterEach, beforeEach, expect, test } from 'vitest';
import { orchestratorTaskQueues } from '../src/client/worker-presence.ts';
import { readConfig, readWorkerConfig } from '../src/config.ts';
import { createResendAccount } from '../src/email-provider/adapters/resend/resend-account.ts';
import { createClosers } from '../src/lib/closers.ts';
import { readSettings } from '../src/lib/settings.ts';
import { asksNothing } from '../src/onboarding/steps.ts';
import { providerNames } from '../src/onboarding/provider-name.ts';
import { onboardingWorkers } from '../src/onboarding-workers.ts';
import { operatorAccounts, requireUsable } from '../src/operator-accounts.ts';
import type { OrchestratorParts } from '../src/orchestrator-parts.ts';
import { accountConfigs, accountSettings, providersWith } from '../src/provider-settings.ts';
import { FAKE_KEY, FAST, type FakeResend, startFakeResend } from '../src/conformance/fakes/fake-resend.ts';
import { noOperatorAccounts } from './support/no-operator-accounts.ts';
import { orchestratorRequires } from './support/required-settings.ts';
import { memorySecretStore, scriptedProvider } from './support/scripted-provider.ts';
import { openTestRegister } from './support/test-register.ts';

const { EMAIL_PROVIDER_OPERATOR_TOKEN: _, ...required } = orchestratorRequires;
const settings = { ...required, EMAIL_PROVIDER: 'resend' };
const ses = {
  ...{ EMAIL_PROVIDER: 'ses', SES_REGION: 'eu-west-1', SES_ACCESS_KEY_ID: 'AKIA1', SES_SECRET_ACCESS_KEY: 's' },
  SES_TOPIC_ARN: 'arn:aws:sns:eu-west-1:123456789012:sendoff',
};
let fake: FakeResend;
const closers = createClosers();
beforeEach(async () => {
  fake = await startFakeResend();
});
afterEach(async () => {
  await closers.close();
  await fake.close();
});

async function started(apiKey: string, warnings: string[] = []): Promise<void> {
  const config = readConfig({ ...settings, RESEND_API_KEY: apiKey, RESEND_URL: fake.baseUrl });
  const accounts = operatorAccounts(closers, config.accounts);
  await requireUsable(accounts, config, (message) => warnings.push(message));
}

test('the doctor and a promotion expect the Task Queues that the Workers poll', async () => {
  const environment = { ...settings, ...ses, EMAIL_PROVIDER: 'resend', RESEND_API_KEY: FAKE_KEY };
  const config = readWorkerConfig(environment);
  const { register, database, end } = await openTestRegister();
  closers.add(end);
  const { provider, checkRecords } = scriptedProvider({ verified: () => true });
  const workers = onboardingWorkers({ config, register, database } as OrchestratorParts, {
    ...{ provider, register, checkRecords, secrets: memorySecretStore() },
    operatorAccounts: { ...noOperatorAccounts, configured: operatorAccounts(closers, config.accounts) },
  });
  const providers = providersWith(readSettings(accountSettings, environment));
  expect(providers).toEqual(['resend', 'ses']);
  expect(orchestratorTaskQueues({ providers, agentsMd: false })).toEqual(
    workers.map(({ taskQueue, runsWorkflows }) => ({ taskQueue, runsWorkflows })),
  );
});

test('a step waits for the pace of a provider unless it asks it for nothing', () => {
  const environment = { ...settings, ...ses, RESEND_API_KEY: FAKE_KEY, POSTMARK_ACCOUNT_TOKEN: 'token' };
  const accounts = operatorAccounts(closers, accountConfigs(readSettings(accountSettings, environment)));
  for (const name of providerNames) {
    const account = accounts[name];
    expect(account, name).toBeDefined();
    expect(asksNothing(name, 'issueApiKey'), name).toBe(account?.accounts === undefined);
    expect(asksNothing(name, 'registerWebhook'), name).toBe(account?.webhooks === undefined);
    for (const step of ['registerDomain', 'createSender', 'sendFirstEmail'] as const)
      expect(asksNothing(name, step), name).toBe(false);
  }
});

test('a Worker starts with a key of full access', async () => {
  await started(FAKE_KEY);
  expect(fake.requests).toHaveLength(1);
});

test('a Worker does not start with a key that cannot onboard anybody', async () => {
  await expect(started('re_sending_only')).rejects.toThrow('RESEND_API_KEY may only send');
});

test('a Worker starts while the provider does not answer', async () => {
  const warnings: string[] = [];
  fake.rules.before = () => ({ status: 503, body: {} });
  await started(FAKE_KEY, warnings);
  expect(warnings).toEqual(['the provider was not examined']);
});

test('a Worker does not start if it could never see that an email was delivered', async () => {
  const account = createResendAccount({ baseUrl: fake.baseUrl, ...FAST });
  closers.add(() => account.close());
  const silent = { resend: { ...account, facts: { ...account.facts, delivery: { poll: false } } } };
  const start = (publicUrl: string | undefined) =>
    requireUsable(silent, { provider: 'resend', publicUrl }, () => undefined);
  await expect(start(undefined)).rejects.toThrow('SENDOFF_PUBLIC_URL is not set');
  await start('https://sendoff.test');
});

test('a Worker starts, and warns, while the account is paused', async () => {
  const account = createResendAccount({ baseUrl: fake.baseUrl, ...FAST });
  closers.add(() => account.close());
  const problem = { code: 'sending_paused', remedy: 'Let it go on' };
  const start = async (passes: boolean): Promise<object[]> => {
    const examine = () => Promise.resolve([{ ...problem, ...(passes && { passes }) }]);
    const warnings: object[] = [];
    await requireUsable({ resend: { ...account, examine } }, { provider: 'resend', publicUrl: undefined }, (_, meta) =>
      warnings.push(meta),
    );
    return warnings;
  };
  expect(await start(true)).toEqual([{ provider: 'resend', ...problem }]);
  await expect(start(false)).rejects.toThrow('Let it go on');
});

test.each([
  [{}, 'RESEND_API_KEY is not set'],
  [{ EMAIL_PROVIDER: 'postmark', RESEND_API_KEY: 'k' }, 'POSTMARK_ACCOUNT_TOKEN is not set'],
  [
    { EMAIL_PROVIDER: 'recent', RESEND_API_KEY: 'k' },
    'EMAIL_PROVIDER must be one of sendoff, resend, postmark, ses; found "recent"',
  ],
  [{ ...ses, SES_REGION: undefined }, 'SES_REGION is not set'],
  [{ ...ses, SES_TOPIC_ARN: undefined }, 'SES_TOPIC_ARN is not set'],
  [{ ...ses, SES_REGION: 'eu-west-1a' }, 'SES_REGION must be the name of an AWS region'],
  [{ ...ses, SES_TOPIC_ARN: 'sendoff' }, 'SES_TOPIC_ARN must be the ARN of a standard SNS topic'],
  [{ ...ses, SES_REGION: 'us-east-1' }, 'SES_TOPIC_ARN is in eu-west-1, and SES_REGION is us-east-1'],
  [{ ...ses, SES_ACCESS_KEY_ID: 'ASIA1' }, 'SES_SESSION_TOKEN is not set'],
  [{ EMAIL_PROVIDER: '' }, 'EMAIL_PROVIDER_OPERATOR_TOKEN is not set'],
])('%j is refused: %s', (changes, message) => {
  expect(() => readConfig({ ...settings, ...changes })).toThrow(message);
});
