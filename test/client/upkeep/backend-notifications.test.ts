import '../../support/quiet-temporal.ts';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type BackendNotifications,
  createBackendNotifications,
} from '../../../src/client/upkeep/backend-notifications.ts';
import { executionOf } from '../../../src/client/onboarding/ended-onboardings.ts';
import { createOnboardingExecutions } from '../../../src/client/onboarding/onboarding-executions.ts';
import { createOnboardings } from '../../../src/client/onboarding/onboardings.ts';
import { createTemporalPresence } from '../../../src/client/temporal-presence.ts';
import { notificationsWorkflowId, onboardingWorkflowId } from '../../../src/onboarding/onboarding-ids.ts';
import { Stage } from '../../../src/onboarding/stage.ts';
import { type Database, openDatabase } from '../../../src/store/database.ts';
import type { Register } from '../../../src/store/onboarding/register.ts';
import { createSqlRegister } from '../../../src/store/onboarding/sql-register.ts';
import type { RunningWorker } from '../../../src/worker.ts';
import { ONBOARDING_TASK_QUEUE, ONBOARDING_WORKFLOW_TYPE, SWEEP_WORKFLOW_ID } from '../../../src/workflows/messages.ts';
import { beginOnboarding } from '../../support/begin-onboarding.ts';
import { inputOf } from '../../support/onboarding-environment.ts';
import { databaseFiles } from '../../support/database-files.ts';
import { notifying, settingsOf, start as startProgram } from '../../support/start-program.ts';
import { sharedDevServer, type TestServer } from '../../support/temporal.ts';
import { startTestReceiver, type TestReceiver } from '../../support/test-receiver.ts';

// The Worker as it runs in production, with its sweep, on a real server.

const WITHIN = { timeout: 40_000, interval: 200 };

let server: TestServer;
let client: Client;
const { urlOf, remove } = databaseFiles();
const databaseUrl = urlOf('sendoff');
let database: Database;
let register: Register;
let notifications: BackendNotifications;
let backend: TestReceiver;
let worker: RunningWorker;

beforeAll(async () => {
  server = await sharedDevServer();
  ({ client } = server.environment);
  database = await openDatabase(databaseUrl);
  backend = await startTestReceiver((response) => response.writeHead(204).end());
  notifications = createBackendNotifications(client, { warn: () => undefined });
  register = createSqlRegister(database, { notify: true, onNotification: notifications.wake });
  const background = { SENDOFF_BACKGROUND_TEMPORAL_NAMESPACE: server.namespace };
  worker = await startProgram.worker(settingsOf(databaseUrl, { ...notifying(backend.url), ...background }), server);
}, 60_000);
afterAll(async () => {
  await worker.stop();
  await notifications.close();
  await backend.stop();
  await database.destroy();
  await server.stop();
  remove();
});

interface Body {
  type: string;
  data: { tenantId: string; reason?: string };
}
const received = (): Body[] => backend.posts.map(({ body }) => JSON.parse(body) as Body);
const reasonsOf = (tenantId: string) =>
  received().flatMap(({ data }) => (data.tenantId === tenantId ? [data.reason] : []));
const typesOf = (tenantId: string) =>
  received().flatMap(({ type, data }) => (data.tenantId === tenantId ? [type] : []));
const outcomeOf = async (tenantId: string) => (await register.get(tenantId))?.outcome;

/** Without a Worker, so that it stays as it is. */
const start = (tenantId: string, options: object = {}) =>
  client.workflow.start(ONBOARDING_WORKFLOW_TYPE, {
    workflowId: onboardingWorkflowId(tenantId),
    taskQueue: 'nothing-runs-here',
    args: [inputOf(tenantId)],
    ...options,
  });

async function begin(tenantId: string, options: object = {}): Promise<WorkflowHandle> {
  const handle = await start(tenantId, options);
  await beginOnboarding(register, tenantId, handle.firstExecutionRunId);
  return handle;
}

test('a process that is killed between the commit and the wake-up loses no notification', async () => {
  await start('killed');
  const child = fork(new URL('../../support/killed-after-commit.ts', import.meta.url), [databaseUrl, 'killed'], {
    execArgv: ['--import', 'tsx'],
  });
  expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
  await expect.poll(() => reasonsOf('killed'), WITHIN).toEqual(['first']);
});

test('notifications that are committed while others are delivered all arrive, in order', async () => {
  await begin('busy');
  const reasons = Array.from({ length: 60 }, (_, index) => String(index));
  for (const reason of reasons) {
    await register.addEvent('busy', { type: 'domain.drifted', data: { reason } }, new Date().toISOString());
    // Ends of the Workflow fall between the commits.
    if (Number(reason) % 10 === 9) await expect.poll(() => reasonsOf('busy').length, WITHIN).toBe(Number(reason) + 1);
  }
  await expect.poll(() => reasonsOf('busy'), WITHIN).toEqual(reasons);
  const workflow = await client.workflow.getHandle(notificationsWorkflowId('busy')).describe();
  expect(workflow.type).toBe('notifyBackend');
  expect(await workflow.staticSummary()).toBe('Notifications about busy');
});

test('the sweep records the end of onboardings that were terminated or timed out, and of no other', async () => {
  const workflowExecution = (tenantId: string) => ({ workflowId: onboardingWorkflowId(tenantId), runId: '' });
  const { workflowService } = client;
  const { namespace } = server;

  await begin('waiting');
  const terminated = await begin('terminated');
  await begin('timed-out', { workflowExecutionTimeout: '1 second' });
  await begin('deleted');
  const reset = await client.workflow.start(ONBOARDING_WORKFLOW_TYPE, {
    workflowId: onboardingWorkflowId('reset'),
    taskQueue: ONBOARDING_TASK_QUEUE,
    args: [inputOf('reset')],
  });
  await expect.poll(() => outcomeOf('reset'), WITHIN).toBe('running');

  // The first Workflow Task ends with the quick attempts of the first step.
  await expect.poll(async () => (await reset.describe()).historyLength, WITHIN).toBeGreaterThan(4);

  await terminated.terminate('by an operator');
  await workflowService.deleteWorkflowExecution({ namespace, workflowExecution: workflowExecution('deleted') });
  const { runId } = await workflowService.resetWorkflowExecution({
    namespace,
    workflowExecution: { workflowId: reset.workflowId, runId: reset.firstExecutionRunId },
    reason: 'by an operator',
    workflowTaskFinishEventId: 4 as never,
    requestId: 'reset',
  });
  expect(runId).not.toBe(reset.firstExecutionRunId);

  for (const tenantId of ['terminated', 'timed-out']) {
    await expect.poll(() => typesOf(tenantId), WITHIN).toEqual(['onboarding.terminated']);
    expect(await register.get(tenantId)).toMatchObject({ outcome: 'terminated', endedAt: expect.any(String) });
  }
  expect(await outcomeOf('waiting')).toBe('running');
  expect(await outcomeOf('reset')).toBe('running');

  // Absence is not an end, whatever asks; only a cancellation ends it.
  const noted = async () => (await register.get('deleted'))?.waiting?.message;
  await expect.poll(noted, WITHIN).toContain('Temporal has no execution of this onboarding');
  const executions = createOnboardingExecutions(client, register);
  const presence = createTemporalPresence(client);
  const onboardings = createOnboardings(client, { register, executions, presence });
  const isMissing = /Temporal has no execution of it/;
  const { attemptId, runId: run } = (await register.get('deleted')) ?? { attemptId: '', runId: '' };
  const at = new Date().toISOString();
  // A webhook in a step asks nothing: the wait that follows begins with a check.
  await register.enter({ tenantId: 'deleted', attemptId, runId: run, at }, Stage.awaitingDomain, at);
  await expect(onboardings.wakeUp('deleted', { eventId: 'evt_1', type: 'domain.verified' })).rejects.toThrow(isMissing);
  await expect(onboardings.checkNow('deleted', async () => undefined)).rejects.toThrow(isMissing);
  await expect(
    onboardings.extend(
      'deleted',
      { hours: 1, by: 'ada', reason: 'test' },
      { idempotencyKey: undefined, beforeSending: async () => undefined },
    ),
  ).rejects.toThrow(isMissing);
  expect((await onboardings.start(inputOf('deleted'))).kind).not.toBe('started');
  const elsewhere = createOnboardings(client, {
    ...{ register, executions, presence },
    requireOwnNamespace: () => Promise.reject(new Error('another Namespace')),
  });
  await expect(elsewhere.cancel('deleted')).rejects.toThrow('another Namespace');
  await expect(elsewhere.restart(inputOf('deleted'))).rejects.toThrow('another Namespace');
  expect(await outcomeOf('deleted')).toBe('running');
  expect(typesOf('deleted')).toEqual([]);
  await onboardings.cancel('deleted');
  expect(await register.get('deleted')).toMatchObject({ outcome: 'terminated', endedAt: expect.any(String) });
  await expect.poll(() => typesOf('deleted'), WITHIN).toEqual(['onboarding.terminated']);
  expect(await onboardings.wakeUp('deleted', { eventId: 'evt_2', type: 'domain.verified' })).toBe(false);

  expect(typesOf('reset')).toEqual([]);
});

test('an execution that another program started says nothing of the recorded one, unless the server has its end', async () => {
  const first = await begin('replaced');
  await first.terminate('by an operator');
  await start('replaced');
  await expect.poll(() => outcomeOf('replaced'), WITHIN).toBe('terminated');

  // As in a database whose execution is in another Namespace with the same tenants.
  const other = await start('foreign');
  await beginOnboarding(register, 'foreign', '11111111-2222-4333-8444-555555555555');
  const record = await register.get('foreign');
  expect(record && (await executionOf(client, record))).toBe('missing');
  await other.terminate('the end of the test');
});

test('the sweep adds no events to its history', async () => {
  const { historyLength, raw } = await client.workflow.getHandle(SWEEP_WORKFLOW_ID).describe();
  const [pending] = raw.pendingActivities ?? [];
  expect(pending?.attempt).toBeGreaterThan(1);
  expect(pending?.lastFailure?.message).toMatch(
    /^Found \d+ tenants? with pending notifications; recorded \d+ ends? of onb/,
  );
  expect(historyLength).toBe(5);
});
