// A Worker loses the Workflow Task after each answer of the provider, a Signal arrives meanwhile, and Temporal repeats the whole Task: each
// tenant has one of each at the provider, and after a cancellation nothing.
import { type ActivityInboundCallsInterceptor, NativeConnection, Worker } from '@temporalio/worker';
import { temporal } from '@temporalio/proto';
import { activityInfo } from '@temporalio/activity';
import type { WorkflowHandle } from '@temporalio/client';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { markOf } from '../../../src/activities/onboarding/operator-accounts.ts';
import { createActivities } from '../../../src/activities/index.ts';
import { openFake, type OpenedFake } from '../../../src/conformance/targets/fake-target.ts';
import { createHttpEmailProvider } from '../../../src/email-provider/adapters/sendoff/sendoff-provider.ts';
import { createClosers } from '../../../src/lib/closers.ts';
import { onboardingWorkflowId } from '../../../src/onboarding/onboarding-ids.ts';
import type { ProviderName } from '../../../src/onboarding/provider-name.ts';
import { asksNothing, undoableRows } from '../../../src/onboarding/steps.ts';
import { onboardingInterceptors } from '../../../src/onboarding-workers.ts';
import { createSqlAccountBlocks } from '../../../src/store/onboarding/sql-account-blocks.ts';
import { createSqlProviderEvents } from '../../../src/store/onboarding/provider-events.ts';
import { workerOptions } from '../../../src/worker-options.ts';
import { workflowsPath } from '../../../src/worker.ts';
import { pollsTaskQueue, providerReportedSignal, providerTaskQueue } from '../../../src/workflows/messages.ts';
import { inputOf, realServer } from '../../support/onboarding-environment.ts';
import { memorySecretStore } from '../../support/scripted-provider.ts';
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts';
import type { TestServer } from '../../support/temporal.ts';
import { openTestRegister, type TestRegister } from '../../support/test-register.ts';
import { workflowCode } from '../../support/workflow-bundle.ts';

const TASK_QUEUE = 'repeated-workflow-tasks-test';
const INSTALLATION = 'test';
const { EVENT_TYPE_WORKFLOW_TASK_TIMED_OUT: TIMED_OUT } = temporal.api.enums.v1.EventType;
const STARTED = temporal.api.enums.v1.PendingWorkflowTaskState.PENDING_WORKFLOW_TASK_STATE_STARTED;

let server: TestServer;
let link: TcpProxy;
let registered: TestRegister;
beforeAll(async () => {
  server = await realServer();
  registered = await openTestRegister();
});
afterAll(async () => {
  await server.stop();
  await registered.end();
});

let closers: ReturnType<typeof createClosers>;
beforeEach(async () => {
  closers = createClosers();
  link = await startTcpProxy(server.address);
  closers.add(() => link.stop());
});
afterEach(() => closers.close());

type AfterActivity = (activityType: string, tenantId: string) => Promise<void>;

/** The Worker of the Workflow has a connection that can be cut; those that ask the provider have another. */
async function beginWorkers(farEnd: OpenedFake, provider: ProviderName, afterActivity: AfterActivity): Promise<void> {
  const { register, intents, database } = registered;
  const { account } = farEnd.connect(farEnd.url);
  const unused = createHttpEmailProvider({ baseUrl: farEnd.url, operatorToken: 'unused' });
  closers.add(async () => {
    await Promise.all([account?.close(), unused.close()]);
  });
  const events = createSqlProviderEvents(database);
  const forget = farEnd.onEvents?.((received) => events.store(provider, received));
  closers.add(async () => forget?.());
  const activities = createActivities({
    provider: unused,
    operatorAccounts: { configured: { [provider]: account }, intents, events, installationId: INSTALLATION },
    secrets: memorySecretStore(),
    register,
    // The tenant publishes the records before the first look at them.
    async checkRecords(domain, expected) {
      await farEnd.publish(domain, expected);
      return farEnd.checkRecords(domain, expected);
    },
    webhookUrl: (tenantId) => `https://sendoff.test/webhooks/${tenantId}`,
  });
  const loses: ActivityInboundCallsInterceptor = {
    async execute(input, next) {
      const result: unknown = await next(input);
      const { activityType, workflowExecution } = activityInfo();
      await afterActivity(activityType, workflowExecution?.workflowId.split('/')[1] ?? '');
      return result;
    },
  };
  const { activity = [] } = onboardingInterceptors(register, createSqlAccountBlocks(database));
  const shared = { namespace: server.namespace, activities, ...workerOptions, interceptors: { activity } };
  const asking = {
    ...shared,
    connection: server.environment.nativeConnection,
    interceptors: { activity: [() => ({ inbound: loses }), ...activity] },
  };
  const cuttable = await NativeConnection.connect({ address: link.address });
  closers.add(() => cuttable.close());
  const workers = [
    await Worker.create({
      ...shared,
      connection: cuttable,
      taskQueue: TASK_QUEUE,
      ...(await workflowCode(workflowsPath)),
      // Without a cache there is nothing to be sticky to, and each Task replays the history.
      maxCachedWorkflows: 0,
    }),
    await Worker.create({ ...asking, taskQueue: pollsTaskQueue(TASK_QUEUE) }),
    await Worker.create({ ...asking, taskQueue: providerTaskQueue(TASK_QUEUE, provider) }),
  ];
  const runs = Promise.all(workers.map((worker) => worker.run()));
  closers.add(async () => {
    link.restore();
    for (const worker of workers) worker.shutdown();
    await runs;
  });
}

async function isTaskStarted({ workflowId }: WorkflowHandle): Promise<boolean> {
  const { pendingWorkflowTask } = await server.environment.client.workflowService.describeWorkflowExecution({
    namespace: server.namespace,
    execution: { workflowId },
  });
  return pendingWorkflowTask?.state === STARTED;
}

/** The Worker does the Workflow Task that comes next, and its answer never arrives; Signals arrive before and after that. */
async function loseTask(handle: WorkflowHandle, number: number): Promise<void> {
  const within = { timeout: 8_000, interval: 20 };
  await expect.poll(() => isTaskStarted(handle), within).toBe(true);
  await handle.signal(providerReportedSignal, { eventId: `during-${number}`, type: 'domain.updated' });
  link.cut();
  // It has timed out, and waits for a Worker.
  await expect.poll(() => isTaskStarted(handle), within).toBe(false);
  await handle.signal(providerReportedSignal, { eventId: `after-${number}`, type: 'domain.updated' });
  link.restore();
}

/** @param options.cancelAfter the Activity during which the onboarding is cancelled */
async function onboardWithLosses(provider: ProviderName, { cancelAfter }: { cancelAfter?: string } = {}) {
  const farEnd = await openFake(provider);
  closers.add(() => farEnd.close());
  const tenantId = `${provider}-${cancelAfter === undefined ? 'whole' : 'cancelled'}`;
  const recipient = farEnd.recipient(tenantId, 'delivered') ?? '';
  const { firstEmail, ...others } = inputOf(tenantId);
  const input = { ...others, provider, firstEmail: { ...firstEmail, recipient } };
  const lost: string[] = [];
  const losing: Promise<void>[] = [];
  await beginWorkers(farEnd, provider, async (activityType) => {
    if (activityType === cancelAfter) await handle.cancel();
    if (lost.includes(activityType)) return;
    lost.push(activityType);
    link.mute();
    losing.push(loseTask(handle, lost.length));
  });
  const handle = await server.environment.client.workflow.start('onboardTenant', {
    workflowId: onboardingWorkflowId(tenantId),
    taskQueue: TASK_QUEUE,
    args: [input],
    workflowTaskTimeout: '1 second',
  });
  const end = await handle.result().then(
    () => 'onboarded',
    (error: unknown) => String((error as Error).cause),
  );
  await Promise.all(losing);
  const { events } = await handle.fetchHistory();
  const held = await farEnd.held({
    ...{ tenantId, mark: markOf(tenantId, { installationId: INSTALLATION }), domain: input.domain, recipient },
  });
  const repeated = (events ?? []).filter(({ eventType }) => eventType === TIMED_OUT).length;
  return { end, lost, held, repeated, whole: farEnd.whole };
}

/** The Activities that ask the provider, until the sender exists. */
const beforeEmail = (provider: ProviderName): string[] => [
  ...(['issueApiKey', 'registerWebhook', 'registerDomain'] as const).filter((step) => !asksNothing(provider, step)),
  ...['checkDomain', 'createSender'],
];

/** Each step that is repeated is judged at all of them by the conformance kit. */
const provider: ProviderName = 'ses';

test('an onboarding whose Workflow Task is repeated after each Activity has one of each', async () => {
  const { end, lost, held, repeated, whole } = await onboardWithLosses(provider);
  expect(end).toBe('onboarded');
  expect(lost).toEqual([...beforeEmail(provider), 'sendFirstEmail', 'awaitEmailOutcome']);
  // A busy machine loses more by itself.
  expect(repeated).toBeGreaterThanOrEqual(lost.length);
  expect(held).toEqual(whole);
});

test('a cancelled onboarding whose Workflow Task is repeated after each Activity and each undo leaves nothing', async () => {
  const { end, lost, held, repeated } = await onboardWithLosses(provider, { cancelAfter: 'createSender' });
  expect(end).toContain('CancelledFailure');
  const undone = undoableRows.filter(({ step }) => !asksNothing(provider, step)).map(({ undoneBy }) => undoneBy);
  expect(lost).toEqual([...beforeEmail(provider), ...undone.toReversed()]);
  expect(repeated).toBeGreaterThanOrEqual(lost.length);
  expect(Object.values(held).filter((count) => count > 0)).toEqual([]);
});
