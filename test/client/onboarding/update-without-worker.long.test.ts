// A real server: it lists the poller of a Worker for minutes after its death, and keeps an Update for a Worker to come.
import { Client } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { onboardingParts } from '../../../src/client/onboarding/onboarding-parts.ts';
import { workflowsPath } from '../../../src/worker.ts';
import { INSTALLATION_WORKFLOW_TYPE } from '../../../src/workflows/messages.ts';
import { forkWorker } from '../../support/fork-worker.ts';
import { sharedDevServer, type TestServer } from '../../support/temporal.ts';
import { openTestRegister, type TestRegister } from '../../support/test-register.ts';
import { workflowCode } from '../../support/workflow-bundle.ts';

/** Of an Update that is sent it would be sixty. */
const SECONDS_MAX = 15;

let server: TestServer;
let opened: TestRegister;
beforeAll(async () => {
  server = await sharedDevServer();
  opened = await openTestRegister();
});
afterAll(async () => {
  await opened.end();
  await server.stop();
});

test('checkNow and extend of an onboarding whose Worker has just died are not sent, and end within seconds', async () => {
  const { environment, namespace } = server;
  const client = new Client({ connection: environment.connection, namespace });
  const { onboardings } = onboardingParts(client, { ...opened, uiUrl: undefined });
  const polled = await Worker.create({
    connection: environment.nativeConnection,
    namespace,
    taskQueue: 'onboarding',
    ...(await workflowCode(workflowsPath)),
    activities: { unused: async () => undefined },
  });
  await polled.runUntil(async () => {
    // Any Workflow that does not end: the Update does not arrive.
    const options = { workflowId: 'onboarding/acme', taskQueue: 'onboarding' };
    const handle = await client.workflow.start(INSTALLATION_WORKFLOW_TYPE, options);
    await expect.poll(() => handle.query('__temporal_workflow_metadata')).toMatchObject({ definition: {} });
  });
  const since = performance.now();
  let sent = 0;
  const beforeSending = async (): Promise<void> => {
    sent += 1;
  };
  const extension = { hours: 1, by: 'ada', reason: 'slow' };
  expect(await onboardings.checkNow('acme', beforeSending)).toEqual({ kind: 'noWorker' });
  const options = { idempotencyKey: undefined, beforeSending };
  expect(await onboardings.extend('acme', extension, options)).toEqual({ kind: 'noWorker' });
  expect(performance.now() - since).toBeLessThan(SECONDS_MAX * 1_000);
  expect(sent).toBe(0);
});

test('checkNow of a tenant without an onboarding says so', async () => {
  const { environment, namespace } = server;
  const client = new Client({ connection: environment.connection, namespace });
  const { onboardings } = onboardingParts(client, { ...opened, uiUrl: undefined });
  expect(await onboardings.checkNow('nobody', async () => undefined)).toEqual({ kind: 'notRunning' });
});

/** Longer than the probe waits for an answer. */
const BLOCKED_MS = 7_000;

test('checkNow is sent to a Worker that polls but is blocked for seconds, and returns its answer', async () => {
  const { environment, address, namespace } = server;
  const client = new Client({ connection: environment.connection, namespace });
  const { onboardings } = onboardingParts(client, { ...opened, uiUrl: undefined });
  const child = await forkWorker(address, namespace);
  try {
    const options = { workflowId: 'onboarding/blocked', taskQueue: 'onboarding' };
    const handle = await client.workflow.start(INSTALLATION_WORKFLOW_TYPE, options);
    await expect
      .poll(() => handle.query('__temporal_workflow_metadata'), { timeout: 20_000 })
      .toMatchObject({ definition: {} });
    await child.block(BLOCKED_MS);
    // Only a Worker answers that this Workflow has no handler for it.
    expect(await onboardings.checkNow('blocked', async () => undefined)).toMatchObject({ kind: 'failed' });
  } finally {
    child.kill();
  }
});
