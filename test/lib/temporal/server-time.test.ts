// A real server, whose clock is right, asked by a process whose clock is not.
import { Client } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findSilentTaskQueues } from '../../../src/lib/temporal/find-silent-task-queues.ts';
import { serverTimeMs } from '../../../src/lib/temporal/server-time.ts';
import { withClockOff } from '../../support/clock-off.ts';
import { sharedDevServer, type TestServer } from '../../support/temporal.ts';

const MINUTE_MS = 60_000;
const queue = { taskQueue: 'polled', runsWorkflows: false };

let server: TestServer;
/** Another for each test: the time of a server is asked once for each. */
const newClient = (): Client => new Client({ connection: server.environment.connection, namespace: server.namespace });
beforeAll(async () => {
  server = await sharedDevServer();
});
afterAll(() => server.stop());

test.each([5, -5])(
  'a Task Queue that is polled is not silent for a clock that is off by %i minutes',
  async (minutes) => {
    const worker = await Worker.create({
      connection: server.environment.nativeConnection,
      namespace: server.namespace,
      taskQueue: queue.taskQueue,
      activities: { unused: async () => undefined },
    });
    const silent = (): Promise<object[]> =>
      withClockOff(minutes * MINUTE_MS, () =>
        findSilentTaskQueues(newClient(), server.namespace, [queue], { withinMs: 3_000 }),
      );
    await worker.runUntil(async () => {
      await expect.poll(silent, { timeout: 20_000 }).toEqual([]);
    });
    await expect.poll(silent, { timeout: 20_000 }).toEqual([queue]);
  },
);

test.each([10, -10])('the time of the server is right by a clock that is off by %i minutes', async (minutes) => {
  const time = await withClockOff(minutes * MINUTE_MS, () => serverTimeMs(newClient(), server.namespace));
  expect(Math.abs(time - Date.now())).toBeLessThan(2_000);
});

test('a server that lets nobody poll counts as one with the time of this machine', async () => {
  const refusing = {
    workflowService: { pollActivityTaskQueue: async () => Promise.reject(new Error('PERMISSION_DENIED')) },
    withDeadline: (_deadline: unknown, call: () => Promise<unknown>) => call(),
    withAbortSignal: (_signal: unknown, call: () => Promise<unknown>) => call(),
  } as never;
  const before = Date.now();
  expect(await serverTimeMs(refusing, 'default')).toBeGreaterThanOrEqual(before);
});
