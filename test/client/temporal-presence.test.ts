// A real server: what it says of pollers, and how it answers a Query without a Worker, is what is tested.
import { Client, Connection } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import { createServer, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createTemporalPresence } from '../../src/client/temporal-presence.ts';
import { workflowsPath } from '../../src/worker.ts';
import {
  INSTALLATION_WORKFLOW_ID,
  INSTALLATION_WORKFLOW_TYPE,
  ONBOARDING_TASK_QUEUE,
} from '../../src/workflows/messages.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { sharedDevServer, type TestServer } from '../support/temporal.ts';
import { workflowCode } from '../support/workflow-bundle.ts';

let server: TestServer;
let proxy: TcpProxy;
let connection: Connection;
let client: Client;
beforeAll(async () => {
  server = await sharedDevServer();
  proxy = await startTcpProxy(server.address);
  connection = await Connection.connect({ address: proxy.address });
  client = new Client({ connection, namespace: server.namespace });
});
afterAll(async () => {
  await connection.close();
  await proxy.stop();
  await server.stop();
});

/** A probe whose answers are kept until the test moves its clock. */
function probe(by: Client = client) {
  let nowMs = 0;
  const presence = createTemporalPresence(by, { now: () => nowMs });
  return {
    kept: presence,
    fresh: () => {
      nowMs += 5_000;
      return presence();
    },
  };
}

async function timed<T>(call: () => Promise<T>): Promise<{ answer: T; ms: number }> {
  const since = performance.now();
  return { answer: await call(), ms: performance.now() - since };
}

/** The limit of a second, and what a busy machine adds. Without the limit the SDK would wait for ten and more. */
const A_SECOND_AT_MOST = 4_000;

test('says none before a Worker polls, polling while one answers, and unknown when it has stopped', async () => {
  const { fresh } = probe();
  const checkedAt = expect.stringMatching(/^1970-01-01T00:\d\d:\d[05]\.000Z$/) as string;
  await expect.poll(fresh).toEqual({ reachable: true, workers: 'none', checkedAt });

  await client.workflow.start(INSTALLATION_WORKFLOW_TYPE, {
    workflowId: INSTALLATION_WORKFLOW_ID,
    taskQueue: ONBOARDING_TASK_QUEUE,
  });
  const worker = await Worker.create({
    connection: server.environment.nativeConnection,
    namespace: server.namespace,
    taskQueue: ONBOARDING_TASK_QUEUE,
    ...(await workflowCode(workflowsPath)),
    activities: { unused: async () => undefined },
  });
  await worker.runUntil(async () => {
    await expect.poll(fresh, { timeout: 20_000 }).toMatchObject({ reachable: true, workers: 'polling' });
    const clock = Date.now.bind(Date);
    const ahead = vi.spyOn(Date, 'now').mockImplementation(() => clock() + 5 * 60_000);
    try {
      expect(await fresh(), 'by a clock five minutes ahead').toMatchObject({ workers: 'polling' });
    } finally {
      ahead.mockRestore();
    }
  });

  const { answer, ms } = await timed(fresh);
  expect(answer).toMatchObject({ reachable: true, workers: 'unknown' });
  expect(ms).toBeLessThan(A_SECOND_AT_MOST);
});

test('says that Temporal is not reachable while it is away, and that it is again afterwards', async () => {
  const { fresh } = probe();
  await expect.poll(fresh).toMatchObject({ reachable: true });
  proxy.cut();
  const { answer, ms } = await timed(fresh);
  expect(answer).toMatchObject({ reachable: false, workers: 'unknown' });
  expect(ms).toBeLessThan(A_SECOND_AT_MOST);
  proxy.restore();
  await expect.poll(fresh, { timeout: 20_000 }).toMatchObject({ reachable: true });
});

/** Accepts connections, and says nothing. */
async function startSilentServer(): Promise<{ server: Server; sockets: Socket[]; address: string }> {
  const sockets: Socket[] = [];
  const silent = createServer((socket) => sockets.push(socket.on('error', () => undefined)));
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as { port: number };
  return { server: silent, sockets, address: `127.0.0.1:${port}` };
}

test('is never waited for longer than a second, and asks once for any number of requests', async () => {
  const silent = await startSilentServer();
  const lazy = Connection.lazy({ address: silent.address });
  const asked: Promise<unknown>[] = [];
  const list = lazy.workflowService.listTaskQueuePartitions.bind(lazy.workflowService);
  lazy.workflowService.listTaskQueuePartitions = ((request: Parameters<typeof list>[0]) => {
    const answer = list(request);
    if (request.taskQueue?.name === ONBOARDING_TASK_QUEUE) asked.push(answer);
    return answer;
  }) as typeof lazy.workflowService.listTaskQueuePartitions;
  const { kept, fresh } = probe(new Client({ connection: lazy, namespace: server.namespace }));
  try {
    const { answer, ms } = await timed(() => Promise.all([fresh(), ...Array.from({ length: 50 }, kept)]));
    expect(ms).toBeLessThan(A_SECOND_AT_MOST);
    expect(new Set(answer.map(({ reachable }) => reachable))).toEqual(new Set([false]));
    // The partitions of Workflow Tasks and of Activities.
    expect(asked).toHaveLength(2);
    await kept();
    expect(asked).toHaveLength(2);
  } finally {
    for (const socket of silent.sockets) socket.destroy();
    // The SDK repeats a call even on a closed connection, and throws where nothing can catch it.
    await Promise.allSettled(asked);
    await lazy.close();
    silent.server.close();
  }
});
