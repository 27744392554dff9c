import { Worker } from '@temporalio/worker';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { keepSchedules } from '../../../src/client/upkeep/orchestrator-singletons.ts';
import { retentionActivities } from '../../../src/activities/upkeep/apply-retention.ts';
import { retentionSchedule } from '../../../src/lib/retention/retention-schedule.ts';
import { keepSchedule } from '../../../src/lib/temporal/keep-schedule.ts';
import { workerOptions } from '../../../src/worker-options.ts';
import { workflowsPath } from '../../../src/worker.ts';
import { RETENTION_SCHEDULE_ID, RETENTION_WORKFLOW_TYPE, WATCH_SCHEDULE_ID } from '../../../src/workflows/messages.ts';
import { beginOnboarding } from '../../support/begin-onboarding.ts';
import { sharedDevServer, type TestServer } from '../../support/temporal.ts';
import { openTestRegister } from '../../support/test-register.ts';
import { workflowCode } from '../../support/workflow-bundle.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

// Only the real server has Schedules.
let server: TestServer;
beforeAll(async () => {
  server = await sharedDevServer();
});
afterAll(() => server.stop());

test('the Schedule follows the interval, stays paused, and is deleted when watching is off', async () => {
  const { client } = server.environment;
  const handle = client.schedule.getHandle(WATCH_SCHEDULE_ID);
  const everyMs = async () => (await handle.describe()).spec.intervals?.[0]?.every;
  // Two Workers start at once.
  await Promise.all([keepSchedules(client, DAY_MS), keepSchedules(client, DAY_MS)]);
  expect(await everyMs()).toBe(60 * MINUTE_MS);
  await handle.pause('DNS maintenance');
  const { info } = await handle.describe();
  await keepSchedules(client, DAY_MS);
  expect((await handle.describe()).info.lastUpdatedAt).toEqual(info.lastUpdatedAt);
  await keepSchedules(client, 5 * MINUTE_MS);
  expect(await everyMs()).toBe(5 * MINUTE_MS);
  expect((await handle.describe()).state).toMatchObject({ paused: true, note: 'DNS maintenance' });
  await keepSchedules(client, undefined);
  await expect(handle.describe()).rejects.toThrow(/not found/i);
  await keepSchedules(client, undefined);
});

test('a run of the retention Schedule removes old events and reports how many', async () => {
  const { environment, namespace } = server;
  const { register, database, end } = await openTestRegister();
  for (const attempt of ['first', 'second', 'third']) await beginOnboarding(register, 'acme', attempt);
  const inTwoDays = (): Date => new Date(Date.now() + 2 * DAY_MS);
  const worker = await Worker.create({
    ...{ connection: environment.nativeConnection, namespace, taskQueue: 'retention-test', ...workerOptions },
    ...(await workflowCode(workflowsPath)),
    activities: retentionActivities(database, DAY_MS, inTwoDays),
  });
  const keep = () =>
    keepSchedule(
      environment.client,
      retentionSchedule({
        scheduleId: RETENTION_SCHEDULE_ID,
        workflowType: RETENTION_WORKFLOW_TYPE,
        taskQueue: 'retention-test',
      }),
    );
  await worker.runUntil(async () => {
    await Promise.all([keep(), keep()]);
    const handle = environment.client.schedule.getHandle(RETENTION_SCHEDULE_ID);
    const { info, spec } = await handle.describe();
    expect(spec.intervals).toMatchObject([{ every: 60 * MINUTE_MS, offset: 30 * MINUTE_MS }]);
    await keep();
    expect((await handle.describe()).info.lastUpdatedAt).toEqual(info.lastUpdatedAt);

    await handle.trigger();
    const lastRun = async () => (await handle.describe()).info.recentActions[0]?.action.workflow.workflowId ?? '';
    await expect.poll(lastRun).not.toBe('');
    const workflowId = await lastRun();
    const run = environment.client.workflow.getHandle(workflowId);
    expect(await run.result()).toEqual({ events: 2, claims: 0, 'provider events': 0, 'setup links': 0 });
    expect(await (await run.describe()).staticSummary()).toBe('Remove what is past its retention');
  });
  const { oldest, latest } = await register.eventRange();
  expect(oldest).toBe(latest);
  await end();
});
