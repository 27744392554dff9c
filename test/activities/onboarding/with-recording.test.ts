// What the register allows an Activity, and what it hands back once the onboarding has ended.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Activities, createActivities } from '../../../src/activities/index.ts';
import type { OnboardingOutcome } from '../../../src/onboarding/onboarding-record.ts';
import { newOnboarding, type Onboarding } from '../../../src/onboarding/onboarding.ts';
import { apiKeyRef } from '../../../src/onboarding/onboarding-ids.ts';
import { Stage } from '../../../src/onboarding/stage.ts';
import { putIssued } from '../../../src/store/issued-secret.ts';
import { inActivity } from '../../support/in-activity.ts';
import {
  failing,
  memorySecretStore,
  noAnswer,
  scriptedProvider,
  type ScriptedProvider,
} from '../../support/scripted-provider.ts';
import { openTestRegister, type TestRegister } from '../../support/test-register.ts';
import { validInput } from '../../support/valid-input.ts';
import { noOperatorAccounts } from '../../support/no-operator-accounts.ts';

const { tenantId, domain } = validInput();
const at = '2026-03-01T12:00:00.000Z';
const attempt = { tenantId, attemptId: 'attempt-1', startedAt: at, startedWith: null };
const run = { ...attempt, runId: 'run-1', at };
const check = { tenantId, attemptId: 'attempt-1', stagesEntered: 4 };

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
  activities = createActivities({
    ...{ provider, operatorAccounts: noOperatorAccounts, secrets, register, checkRecords },
    webhookUrl: undefined,
  });
  onboarding = newOnboarding(validInput());
  await register.begin({ ...run, onboarding });
});
afterEach(() => opened.end());

const inRun = <Result>(work: () => Promise<Result>, runId = 'run-1', isLocal = false): Promise<Result> =>
  inActivity(work, { workflowExecution: { workflowId: 'onboarding/acme', runId }, isLocal });

async function end(outcome: OnboardingOutcome): Promise<void> {
  onboarding = { ...onboarding, domainId, stage: Stage.done };
  await opened.register.end({ ...run, onboarding, outcome, result: null, failure: null });
}

describe('the check before the domain wait', () => {
  const enter = (stagesEntered: number, stage: Stage) => opened.register.enter({ ...run, stagesEntered }, stage);
  const look = (input: object = {}) =>
    inRun(() => activities.checkDomain({ ...check, domainId, depth: 'status', ...input }), 'run-1', true);

  const afterWakeUp = { depth: 'records', patience: { waitingSince: 0, knownCause: '' }, cancelRequested: false };

  test.each([
    ['reports it as not verified', {}, () => (scripted.script.verified = () => false)],
    ['does not answer', {}, () => (scripted.script.before = failing('getDomain', noAnswer))],
    ['reports it as not verified after a wake-up', afterWakeUp, () => (scripted.script.verified = () => false)],
  ])('passes it as a lost Workflow Task did, although the provider now %s', async (_how, input, change) => {
    await enter(4, Stage.awaitingDomain);
    await enter(6, Stage.sendingFirstEmail);
    change();
    expect(await look(input)).toMatchObject({ verified: true });
    expect(await opened.register.get(tenantId)).toMatchObject({
      stagesEntered: 6,
      onboarding: { stage: Stage.sendingFirstEmail },
    });
  });

  test('does not pass it because another run did', async () => {
    await opened.register.enter({ ...run, runId: 'run-0', stagesEntered: 6 }, Stage.sendingFirstEmail);
    scripted.script.verified = () => false;
    expect(await look()).toBeNull();
  });

  test('does not pass it if the onboarding is to stop, and asks nothing', async () => {
    await enter(5, Stage.creatingSender);
    expect(await look({ cancelRequested: true })).toBeNull();
    expect(scripted.count('getDomain')).toBe(0);
  });
});

test('a check for a caller that outlasts its onboarded run is answered and changes nothing', async () => {
  await end('onboarded');
  scripted.script.verified = () => false;
  const record = await opened.register.get(tenantId);
  expect(await inRun(() => activities.checkDomain({ ...check, domainId, depth: 'zone' }))).toMatchObject({
    verified: false,
  });
  expect(await opened.register.get(tenantId)).toEqual(record);
});

test.each([
  ['its own run, which has failed', 'failed', 'run-1'],
  ['another run, which is onboarded', 'onboarded', 'run-2'],
] as const)('a check for a caller after the end of %s is refused', async (_of, outcome, runId) => {
  await end(outcome);
  const checked = inRun(() => activities.checkDomain({ ...check, domainId, depth: 'zone' }), runId);
  await expect(checked).rejects.toMatchObject({ type: 'OnboardingEnded' });
});

test.each(['recordEnd', 'recordUndo'] as const)(
  '%s refuses a database that another one has replaced since the first step, and accepts an onboarding without a step',
  async (name) => {
    const end = { ...attempt, tenantId: 'globex', stagesEntered: 3, onboarding, failure: null };
    const ended = { ...end, outcome: 'cancelled' as const, result: null };
    const record = (created: Partial<Onboarding>) =>
      inRun<object | null>(() => activities[name]({ ...ended, onboarding: { ...onboarding, ...created } }));
    await expect(record({ keyId: 'key_1' })).rejects.toMatchObject({ type: 'WrongDatabase' });
    expect(await opened.register.get('globex')).toBeUndefined();
    await record({});
    expect(await opened.register.get('globex')).toMatchObject({ attemptId: 'attempt-1' });
  },
);
