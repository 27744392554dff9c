// What a Worker did in a Workflow Task that it lost: on the real server, with a Worker whose connection is cut.
import { NativeConnection, Worker } from '@temporalio/worker';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createActivities } from '../../../src/activities/index.ts';
import { onboardingWorkflowId } from '../../../src/onboarding/onboarding-ids.ts';
import type { Onboarding } from '../../../src/onboarding/onboarding.ts';
import { workerOptions } from '../../../src/worker-options.ts';
import { workflowsPath } from '../../../src/worker.ts';
import { onboardingStateQuery, pollsTaskQueue } from '../../../src/workflows/messages.ts';
import { heldCalls } from '../../support/held-calls.ts';
import { expectCancelled, inputOf, realServer } from '../../support/onboarding-environment.ts';
import {
  type Call,
  failing,
  memorySecretStore,
  noAnswer,
  type Script,
  scriptedProvider,
  type ScriptedProvider,
} from '../../support/scripted-provider.ts';
import type { TestServer } from '../../support/temporal.ts';
import { openTestRegister, type TestRegister } from '../../support/test-register.ts';
import { workflowCode } from '../../support/workflow-bundle.ts';
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts';
import { noOperatorAccounts } from '../../support/no-operator-accounts.ts';

const TASK_QUEUE = 'lost-workflow-task-test';

let server: TestServer;
let link: TcpProxy;
let registered: TestRegister;
let scripted: ScriptedProvider;
/** Ends in the order they were begun. */
let running: (() => Promise<void>)[];

beforeAll(async () => {
  server = await realServer();
  link = await startTcpProxy(server.address);
  registered = await openTestRegister();
});
afterAll(async () => {
  await link.stop();
  await server.stop();
  await registered.end();
});
beforeEach(() => {
  scripted = scriptedProvider();
  running = [];
});
afterEach(async () => {
  // A Worker says goodbye to its server.
  link.restore();
  for (const end of running) await end();
});

/** One that shares nothing with the others but the provider, the secrets and the register. */
async function beginWorker(connection: NativeConnection, secrets: ReturnType<typeof memorySecretStore>): Promise<void> {
  const { provider, checkRecords } = scripted;
  const activities = createActivities({
    provider,
    operatorAccounts: noOperatorAccounts,
    secrets,
    register: registered.register,
    checkRecords,
    webhookUrl: (tenantId) => `https://sendoff.test/webhooks/${tenantId}`,
  });
  const shared = { connection, namespace: server.namespace, activities, ...workerOptions };
  const workers = [
    await Worker.create({
      ...shared,
      taskQueue: TASK_QUEUE,
      ...(await workflowCode(workflowsPath)),
    }),
    await Worker.create({ ...shared, taskQueue: pollsTaskQueue(TASK_QUEUE) }),
  ];
  const runs = Promise.all(workers.map((worker) => worker.run()));
  running.push(async () => {
    for (const worker of workers) worker.shutdown();
    await runs;
  });
}

/** Runs an onboarding on a Worker that is cut off while it waits for this answer, cancels it, and lets another take over. */
async function cancelWhileCutOff(
  tenantId: string,
  heldCall: Call,
  atTakeOver: Partial<Script> = {},
): Promise<{ made: string[]; onboarding: Onboarding }> {
  const secrets = memorySecretStore();
  const cuttable = await NativeConnection.connect({ address: link.address });
  await beginWorker(cuttable, secrets);
  running.push(() => cuttable.close());
  const answer = heldCalls((call) => call === heldCall);
  scripted.script.after = answer.hold;
  // Without Temporal, the first Worker carries on to the next wait.
  scripted.script.verified = () => heldCall !== 'createDomain';
  const handle = await server.environment.client.workflow.start('onboardTenant', {
    workflowId: onboardingWorkflowId(tenantId),
    taskQueue: TASK_QUEUE,
    args: [inputOf(tenantId)],
  });
  await answer.untilHeld();
  link.cut();
  await handle.cancel();
  answer.letGo();
  const made = scripted.existingOf(tenantId);
  Object.assign(scripted.script, atTakeOver);
  await beginWorker(server.environment.nativeConnection, secrets);
  await expectCancelled(handle);
  return { made, onboarding: await handle.query(onboardingStateQuery) };
}

describe('a cancel after a Worker has lost a Workflow Task, before another Worker takes over', () => {
  test('that created the key, the webhook and the domain undoes all three and creates none twice', async () => {
    const { made, onboarding } = await cancelWhileCutOff('first-task', 'createDomain');
    expect(made).toEqual(['key_1', 'whk_2', 'dom_3']);
    expect(scripted.existingOf('first-task')).toEqual([]);
    expect(scripted.createdFor('first-task')).toEqual(made);
    expect(onboarding.undo.map(({ step, resourceId, result }) => [step, resourceId, result])).toEqual([
      ['registerDomain', 'dom_3', 'undone'],
      ['registerWebhook', 'whk_2', 'undone'],
      ['issueApiKey', 'key_1', 'undone'],
    ]);
  });

  test('while the provider is unreachable also undoes what the first step cannot reach again', async () => {
    // Both quick attempts, so that the cancellation ends the first step and the next ones are not begun.
    const before = failing('createApiKey', noAnswer, 2);
    const { made, onboarding } = await cancelWhileCutOff('provider-away', 'createDomain', { before });
    expect(made).toEqual(['key_1', 'whk_2', 'dom_3']);
    expect(onboarding.stages.map(({ stage }) => stage)).toEqual(['issuingKey', 'undoing', 'done']);
    expect(scripted.existingOf('provider-away')).toEqual([]);
    expect(scripted.createdFor('provider-away')).toEqual(made);
    expect(onboarding.undo.map(({ step, resourceId, result }) => [step, resourceId, result])).toEqual([
      ['registerDomain', 'dom_3', 'undone'],
      ['registerWebhook', 'whk_2', 'undone'],
      ['issueApiKey', 'key_1', 'undone'],
    ]);
  });

  test('that created the sender and the email keeps what the email needs, and lists it', async () => {
    // Delivered at once, the onboarding would have ended.
    scripted.script.outcome = () => 'queued';
    const { made, onboarding } = await cancelWhileCutOff('second-task', 'sendEmail');
    expect(made).toEqual(['key_1', 'whk_2', 'dom_3', 'snd_4']);
    expect(scripted.emails).toHaveLength(1);
    expect(scripted.existingOf('second-task')).toEqual(made);
    expect(scripted.createdFor('second-task')).toEqual(made);
    expect(onboarding.undo.map(({ step, resourceId, result }) => [step, resourceId, result])).toEqual([
      ['sendFirstEmail', 'eml_5', 'kept'],
      ['createSender', 'snd_4', 'kept'],
      ['registerDomain', 'dom_3', 'kept'],
      ['registerWebhook', 'whk_2', 'kept'],
      ['issueApiKey', 'key_1', 'kept'],
    ]);
  });

  test('that sent the email, while the provider is unreachable, learns of it from the register', async () => {
    const before = failing('createApiKey', noAnswer, 2);
    scripted.script.outcome = () => 'queued';
    const { made, onboarding } = await cancelWhileCutOff('email-away', 'getEmail', { before });
    expect(onboarding.stages.map(({ stage }) => stage)).toEqual(['issuingKey', 'undoing', 'done']);
    expect(scripted.existingOf('email-away')).toEqual(made);
    expect(onboarding.undo[0]).toMatchObject({ step: 'sendFirstEmail', resourceId: 'eml_5', result: 'kept' });
  });

  test('that only found the domain verified sends no email, and leaves no sender', async () => {
    scripted.script.before = failing('createSender', noAnswer, 2);
    const { onboarding } = await cancelWhileCutOff('found-verified', 'getDomain');
    expect(scripted.count('sendEmail', 'found-verified')).toBe(0);
    expect(scripted.existingOf('found-verified')).toEqual([]);
    expect(onboarding.stages.map(({ stage }) => stage)).not.toContain('creatingSender');
  });
});
