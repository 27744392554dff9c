// One time-skipping server serves the tests of a process one after the other, each in its own Namespace: its start takes longer
// than most tests.
import './quiet-temporal.ts';
import { Client, Connection, type TestService, type WorkflowHandle } from '@temporalio/client';
import { InternalConnectionOptionsSymbol } from '@temporalio/client/lib/connection.js';
import type { Duration } from '@temporalio/common';
import { msToTs, tsToMs } from '@temporalio/common/lib/time.js';
import { TimeSkippingWorkflowClient } from '@temporalio/testing';
import { NativeConnection, type Worker } from '@temporalio/worker';
import { randomUUID } from 'node:crypto';
import { killTied } from '../../src/dev/temporal/spawn-tied.ts';
import type { SearchAttribute } from '../../src/lib/temporal/setup/search-attribute.ts';
import { startTestServer, type StartTestServerOptions } from './temporal-servers/start-test-server.ts';
import type { TestServer } from './temporal.ts';

/** Each test may add some years. No time that is shown needs a year of five digits. */
const CLOCK_MAX_MS = Date.UTC(9000, 0);
/** A clock that takes that long for a second does not skip. */
const SKIPS_WITHIN_MS = 500;
const WATCH_EVERY_MS = 250;
/** Much longer than a task takes from the server to an idle Worker. */
const STANDS_MS = 4_000;

export interface TimeSkippingServer extends TestServer {
  /**
   * Gives back the lock that the server keeps when an Activity is cancelled by a Workflow Task during which a retry of
   * it fell due: time would pass no faster than on the wall (temporal-test-server 1.31.0).
   */
  readonly keepSkipping: (workers: readonly Worker[]) => () => void;
}

type SearchAttributes = readonly SearchAttribute[];

type TestServerProgram = Omit<StartTestServerOptions, 'searchAttributes'>;

interface ServerProcess {
  readonly address: string;
  /** Of the server, not of a Namespace. */
  readonly searchAttributes: SearchAttributes;
  readonly kill: () => void;
}

/** No test uses these, and no Workflow runs on them. They end with this process. */
const idle: ServerProcess[] = [];

export async function timeSkippingServerAt(
  program: TestServerProgram,
  searchAttributes: SearchAttributes,
): Promise<TimeSkippingServer> {
  const server = (await takeIdle(searchAttributes)) ?? (await start(program, searchAttributes));
  const { address } = server;
  // The server takes every Namespace for one that exists.
  const namespace = `test-${randomUUID()}`;
  const connection = await connect(address);
  const nativeConnection = await NativeConnection.connect({ address });
  const { testService } = connection;

  const client = new Client({ connection, namespace });
  const workflow = new TimeSkippingWorkflowClient({ connection, namespace });
  let awaited: WorkflowHandle | undefined;
  const result = workflow.result.bind(workflow);
  workflow.result = async (...args) => {
    awaited = workflow.getHandle(args[0], args[1]);
    try {
      return await result(...args);
    } finally {
      awaited = undefined;
    }
  };
  Object.assign(client, { workflow });
  const currentTimeMs = async (): Promise<number> => tsToMs((await testService.getCurrentTime({})).time);

  return {
    address,
    namespace,
    environment: {
      client,
      connection,
      nativeConnection,
      currentTimeMs,
      sleep: (duration) => sleep(connection, duration),
    },
    keepSkipping: (workers) =>
      keepSkipping({
        workers,
        awaited: () => awaited,
        currentTimeMs,
        unlock: () => testService.unlockTimeSkipping({}),
      }),
    async stop() {
      const isReusable = await nothingRuns(connection, namespace);
      // Without connections and Workers the SDK's runtime ends, and what is left of this test in it.
      await nativeConnection.close();
      await connection.close();
      if (isReusable) idle.push(server);
      else server.kill();
    },
  };
}

type TestConnection = Connection & { readonly testService: TestService };

async function connect(address: string): Promise<TestConnection> {
  const options = { address, [InternalConnectionOptionsSymbol]: { supportsTestService: true } };
  return (await Connection.connect(options)) as TestConnection;
}

async function sleep({ testService }: TestConnection, duration: Duration): Promise<void> {
  await testService.unlockTimeSkippingWithSleep({ duration: msToTs(duration) });
}

/** A server whose clock an earlier test has left locked is of no use. */
async function takeIdle(searchAttributes: SearchAttributes): Promise<ServerProcess | undefined> {
  for (;;) {
    const index = idle.findIndex((server) => server.searchAttributes === searchAttributes);
    const [server] = idle.splice(index, index < 0 ? 0 : 1);
    if (server === undefined || (await skips(server))) return server;
    server.kill();
  }
}

async function skips({ address }: ServerProcess): Promise<boolean> {
  const connection = await connect(address);
  const startedAt = performance.now();
  await sleep(connection, '1 second');
  const tookMs = performance.now() - startedAt;
  const { time } = await connection.testService.getCurrentTime({});
  await connection.close();
  return tookMs < SKIPS_WITHIN_MS && tsToMs(time) < CLOCK_MAX_MS;
}

async function start(program: TestServerProgram, searchAttributes: SearchAttributes): Promise<ServerProcess> {
  const { address, child } = await startTestServer({ ...program, searchAttributes });
  return {
    address,
    searchAttributes,
    kill: () => {
      killTied(child);
    },
  };
}

/** A Workflow that is left behind would move the clock of the next test, or keep it locked. */
async function nothingRuns({ workflowService }: Connection, namespace: string): Promise<boolean> {
  const { executions } = await workflowService.listOpenWorkflowExecutions({ namespace, maximumPageSize: 1 });
  return executions.length === 0;
}

function keepSkipping({
  workers,
  awaited,
  currentTimeMs,
  unlock,
}: {
  workers: readonly Worker[];
  awaited: () => WorkflowHandle | undefined;
  currentTimeMs: () => Promise<number>;
  unlock: () => Promise<unknown>;
}): () => void {
  let standsSince: { real: number; virtual: number } | undefined;
  let unlocked = 0;
  const watch = async (): Promise<void> => {
    const handle = awaited();
    if (handle === undefined || !workers.every((worker) => hasNoTask(worker))) {
      standsSince = undefined;
      return;
    }
    const now = { real: performance.now(), virtual: await currentTimeMs() };
    if (standsSince === undefined || now.virtual - standsSince.virtual > now.real - standsSince.real + WATCH_EVERY_MS) {
      standsSince = now;
    } else if (now.real - standsSince.real > STANDS_MS) {
      standsSince = undefined;
      if (unlocked >= (await cancelledActivities(handle))) return;
      unlocked += 1;
      await unlock();
    }
  };
  const timer = setInterval(() => void watch().catch(() => undefined), WATCH_EVERY_MS);
  return () => {
    clearInterval(timer);
  };
}

/** 0 while a Workflow Task is due: then the clock is rightly locked. */
async function cancelledActivities(handle: WorkflowHandle): Promise<number> {
  const { events } = await handle.fetchHistory();
  if (events?.at(-1)?.workflowTaskScheduledEventAttributes) return 0;
  return (events ?? []).filter(({ activityTaskCanceledEventAttributes: attributes }) => attributes).length;
}

function hasNoTask(worker: Worker): boolean {
  const { numInFlightWorkflowActivations, numInFlightActivities } = worker.getStatus();
  return numInFlightWorkflowActivations === 0 && numInFlightActivities === 0;
}
