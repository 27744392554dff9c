// What the register allows an Activity, and what it hands back once the onboarding has ended.
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Activities, createActivities } from '../../src/activities/index.ts';
import type { OnboardingOutcome } from '../../src/onboarding/onboarding-record.ts';
import { newOnboarding, type Onboarding } from '../../src/onboarding/onboarding.ts';
import { apiKeyRef } from '../../src/onboarding/onboarding-ids.ts';
import { Stage } from '../../src/onboarding/stage.ts';
import { putIssued } from '../../src/store/issued-secret.ts';
import { memorySecretStore, scriptedProvider, type ScriptedProvider } from '../support/scripted-provider.ts';
import { openTestRegister, type TestRegister } from '../support/test-register.ts';
import { validInput } from '../support/valid-input.ts';

const { tenantId, domain } = validInput();
const at = '2026-03-01T12:00:00.000Z';
const attempt = { tenantId, attemptId: 'attempt-1', startedAt: at, startedWith: null };
const run = { ...attempt, runId: 'run-1', at };
const check = { tenantId, attemptId: 'attempt-1', isRecorded: true, stagesEntered: 4 };

let opened: TestRegister;
let scripted: ScriptedProvider;
let activities: Activities;
let domainId: string;
let onboarding: Onboarding;

beforeEach(async () => {
  opened = await openTestRegister();
  scripted = scriptedProvider();
  const { provider, checkRecords } = scripted;
  const secrets = memorySecretStore();
  const key = await provider.createApiKey({ account: tenantId, name: 'key' }, { idempotencyKey: 'key' });
  await putIssued(secrets, apiKeyRef(tenantId), { id: key.id, secret: key.token ?? '' });
  const created = provider.withKey(key.token ?? '').createDomain({ name: domain }, { idempotencyKey: 'domain' });
  domainId = (await created).id;
  const { register } = opened;
  activities = createActivities({ provider, secrets, register, checkRecords, webhookUrl: undefined });
  onboarding = newOnboarding(validInput());
  await register.begin({ ...run, onboarding });
});
afterEach(() => opened.end());

const inActivity = <Result>(work: () => Promise<Result>, runId = 'run-1'): Promise<Result> =>
  new MockActivityEnvironment(
    { workflowExecution: { workflowId: 'onboarding/acme', runId } },
    { logger: new DefaultLogger('ERROR') },
  ).run(work);

async function end(outcome: OnboardingOutcome): Promise<void> {
  onboarding = { ...onboarding, domainId, stage: Stage.done };
  await opened.register.end({ ...run, onboarding, outcome, result: null, failure: null });
}

test('a check for a caller that outlasts its onboarded run is answered and changes nothing', async () => {
  await end('onboarded');
  scripted.script.verified = () => false;
  const record = await opened.register.get(tenantId);
  expect(await inActivity(() => activities.checkDomain({ ...check, domainId }))).toMatchObject({ verified: false });
  expect(await opened.register.get(tenantId)).toEqual(record);
});

test.each([
  ['its own run, which has failed', 'failed', 'run-1'],
  ['another run, which is onboarded', 'onboarded', 'run-2'],
] as const)('a check for a caller after the end of %s is refused', async (_of, outcome, runId) => {
  await end(outcome);
  const checked = inActivity(() => activities.checkDomain({ ...check, domainId }), runId);
  await expect(checked).rejects.toMatchObject({ type: 'OnboardingEnded' });
});
