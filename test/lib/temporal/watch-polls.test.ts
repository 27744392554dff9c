import { msToTs } from '@temporalio/common/lib/time.js';
import { NativeConnection, type WorkerOptions } from '@temporalio/worker';
import { expect, test } from 'vitest';
import { startWorkers } from '../../../src/lib/temporal/temporal-workers.ts';
import { watchPolls } from '../../../src/lib/temporal/watch-polls.ts';
import { startTcpProxy } from '../../support/tcp-proxy.ts';
import { sharedDevServer, type TestServer } from '../../support/temporal.ts';
import { gate } from '../../support/held-calls.ts';

const SOON = { timeout: 20_000 };

test('a process is unseen, and then lost, while the server answers without its Workers; never while the server is away', async () => {
  const server = await sharedDevServer();
  const proxy = await startTcpProxy(server.address);
  const asking = await NativeConnection.connect({ address: proxy.address });
  const { namespace, environment } = server;
  const worker = (taskQueue: string, identity = 'sendoff-worker/here/1') => ({
    ...{ connection: environment.nativeConnection, namespace, taskQueue, identity },
    activities: { idle: async () => undefined },
  });
  // The server lists a Worker of another process on the second queue, and none on the third.
  const workers = await startWorkers([worker('polled'), worker('of-another', 'sendoff-worker/there/1')]);
  const warnings: string[] = [];
  const warn = (message: string, meta: object): void => void warnings.push(`${message} ${JSON.stringify(meta)}`);
  let isExpected = true;
  const times = { warn, everyMs: 100, lostAfterMs: 1_500, isExpected: () => isExpected, isFull: workers.isFull };
  const seen = watchPolls(asking, [worker('polled')], times);
  const unseen = watchPolls(
    asking,
    ['polled', 'of-another', 'silent'].map((queue) => worker(queue)),
    times,
  );
  try {
    await expect.poll(() => unseen.unseenOn(), SOON).toEqual(['of-another', 'silent']);
    await expect.poll(() => unseen.isLost(), SOON).toBe(true);
    expect([seen.unseenOn(), seen.isLost()]).toEqual([[], false]);
    expect(warnings).toEqual([expect.stringContaining('"taskQueues":["of-another","silent"]')]);
    proxy.cut();
    await expect.poll(() => [unseen.unseenOn(), unseen.isLost()], SOON).toEqual([[], false]);
    const { isLost } = seen;
    expect(isLost()).toBe(false);
    proxy.restore();
    await expect.poll(() => unseen.isLost(), SOON).toBe(true);
    expect(seen.isLost()).toBe(false);
    isExpected = false;
    await expect.poll(() => [unseen.unseenOn(), unseen.isLost()], SOON).toEqual([[], false]);
  } finally {
    seen.close();
    unseen.close();
    await workers.stop();
    await asking.close();
    await proxy.stop();
    await server.stop();
  }
}, 90_000);

test('a Worker whose Activity slots are all in use is not missed; one that no longer polls is, however new its last poll looks', async () => {
  const server = await sharedDevServer();
  const { namespace, environment } = server;
  const { open: release, opened: released } = gate();
  const worker: WorkerOptions = {
    ...{ connection: environment.nativeConnection, namespace, taskQueue: 'busy', identity: 'sendoff-worker/here/1' },
    activities: { hold: () => released },
    maxConcurrentActivityTaskExecutions: 1,
  };
  const workers = await startWorkers([worker]);
  const times = { warn: () => undefined, everyMs: 100, seenWithinMs: 500, lostAfterMs: 1_000 };
  await startActivity(server, { taskQueue: 'busy', activityType: 'hold' });
  await expect.poll(() => workers.isFull(worker), SOON).toBe(true);
  const watch = watchPolls(environment.nativeConnection, [worker], { ...times, isFull: workers.isFull });
  const strict = watchPolls(environment.nativeConnection, [worker], { ...times, isFull: () => false });
  try {
    await expect.poll(() => [strict.unseenOn(), strict.isLost()], SOON).toEqual([['busy'], true]);
    expect([watch.unseenOn(), watch.isLost()]).toEqual([[], false]);
    release();
    await workers.stop();
    // The server lists the ended poll for minutes.
    await expect.poll(() => [watch.unseenOn(), watch.isLost()], SOON).toEqual([['busy'], true]);
  } finally {
    watch.close();
    strict.close();
    release();
    await workers.stop();
    await server.stop();
  }
}, 90_000);

test('Task Queues that are missed in turn do not make a process lost', async () => {
  const server = await sharedDevServer();
  const { namespace, environment } = server;
  const workers = ['one', 'other'].map((taskQueue): WorkerOptions => ({ namespace, taskQueue, identity: 'here/1' }));
  const asked = workers.map(() => 0);
  // Of each two answers, one misses the first queue and one the second.
  const isFull = (worker: WorkerOptions): boolean => {
    const index = workers.indexOf(worker);
    asked[index] = (asked[index] ?? 0) + 1;
    return (asked[index] + index) % 2 === 0;
  };
  // Longer than a busy machine pauses between two answers, and shorter than the test.
  const times = { warn: () => undefined, everyMs: 50, lostAfterMs: 3_000 };
  const watch = watchPolls(environment.nativeConnection, workers, { ...times, isFull });
  const states: unknown[] = [];
  try {
    await expect
      .poll(
        () => {
          states.push([watch.unseenOn(), watch.isLost()]);
          return Math.min(...asked);
        },
        { timeout: 60_000 },
      )
      .toBeGreaterThan(80);
    expect(new Set(states.map((state) => JSON.stringify(state)))).toEqual(new Set(['[[],false]']));
  } finally {
    watch.close();
    await server.stop();
  }
}, 90_000);

/** As a Workflow would, whose only Workflow Task is answered here. */
async function startActivity(
  { environment: { client }, namespace }: TestServer,
  { taskQueue, activityType }: { readonly taskQueue: string; readonly activityType: string },
): Promise<void> {
  const { workflowService } = client;
  await client.workflow.start('any', { workflowId: `${taskQueue}-starter`, taskQueue: `${taskQueue}-starter` });
  const starter = { namespace, identity: 'starter' };
  const { taskToken } = await client.withDeadline(Date.now() + 20_000, () =>
    workflowService.pollWorkflowTaskQueue({ ...starter, taskQueue: { name: `${taskQueue}-starter` } }),
  );
  const scheduleActivityTaskCommandAttributes = {
    ...{ activityId: '1', activityType: { name: activityType }, taskQueue: { name: taskQueue } },
    startToCloseTimeout: msToTs('1 minute'),
  };
  // COMMAND_TYPE_SCHEDULE_ACTIVITY_TASK
  const commands = [{ commandType: 1, scheduleActivityTaskCommandAttributes }];
  await workflowService.respondWorkflowTaskCompleted({ ...starter, taskToken, commands });
}
