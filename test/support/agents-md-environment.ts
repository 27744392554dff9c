import type { WorkflowHandleWithFirstExecutionRunId } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import { agentsMdWorkers } from '../../src/agents-md-workers.ts';
import { type CheckInput, summaryOf } from '../../src/agents-md/check-input.ts';
import { checkWorkflowId } from '../../src/agents-md/check-ids.ts';
import type { EventReceiver } from '../../src/activities/post-event.ts';
import { type CheckStore, createSqlCheckStore } from '../../src/store/agents-md/check-store.ts';
import { createSqlSharedPauses } from '../../src/store/agents-md/sql-shared-pauses.ts';
import { createSqlProducers, type Producers } from '../../src/store/agents-md/sql-producers.ts';
import { workerOptions } from '../../src/worker-options.ts';
import { workflowsPath } from '../../src/worker.ts';
import type { CheckResult } from '../../src/agents-md/check-result.ts';
import type { CheckAgentsMdInput, CheckAgentsMdResult } from '../../src/workflows/agents-md/check-agents-md.ts';
import { CHECK_TASK_QUEUE } from '../../src/workflows/messages.ts';
import { producerKey } from '../../src/workflows/search-attributes.ts';
import { type LocalCodeHost, startLocalCodeHost } from './local-code-host.ts';
import { fetcherOf } from './place-fetcher.ts';
import { sharedDevServer, type TestServer } from './temporal.ts';
import { loopbackWebhookClient } from './test-receiver.ts';
import { openTestRegister } from './test-register.ts';
import { workflowCode } from './workflow-bundle.ts';

/** A requested check, which always has a result. */
type RequestedCheck = (
  input: CheckAgentsMdInput,
) => Promise<Omit<CheckAgentsMdResult, 'result'> & { readonly result: CheckResult }>;

export interface AgentsMdEnvironment {
  readonly server: TestServer;
  /** Answers as github.com. */
  readonly host: LocalCodeHost;
  readonly checks: CheckStore;
  readonly producers: Producers;
  /** @param workflowId @default that of a requested check */
  readonly start: (
    input: CheckInput,
    workflowId?: string,
  ) => Promise<WorkflowHandleWithFirstExecutionRunId<RequestedCheck>>;
}

/** The Workers of the check against a real Temporal server, with a code host on loopback. Ends all when `use` returns. */
export async function withChecks(
  use: (environment: AgentsMdEnvironment) => Promise<void>,
  {
    startServer = sharedDevServer,
    requestsPerSecond = 100,
    changeReceiver,
    answerTimeoutMs = 5_000,
    now = Date.now,
  }: {
    startServer?: () => Promise<TestServer>;
    requestsPerSecond?: number;
    changeReceiver?: EventReceiver;
    answerTimeoutMs?: number;
    /** Of the pauses that hosts ask for, in milliseconds since the epoch. A time-skipping server does not move it. */
    now?: () => number;
  } = {},
): Promise<void> {
  const { database, end } = await openTestRegister();
  const host = await startLocalCodeHost();
  const sharedPauses = createSqlSharedPauses(database);
  const placeFetcher = fetcherOf(host.urls, { sharedPauses, timeoutMs: answerTimeoutMs, now });
  const webhookClient = loopbackWebhookClient();
  const server = await startServer();
  try {
    const { environment, namespace } = server;
    const checks = createSqlCheckStore(database);
    const producers = createSqlProducers(database);
    const workflows = await workflowCode(workflowsPath);
    const workers = await Promise.all(
      agentsMdWorkers({ requestsPerSecond, changeReceiver }, { checks, producers, placeFetcher, webhookClient }).map(
        ({ runsWorkflows, ...options }) =>
          Worker.create({
            connection: environment.nativeConnection,
            namespace,
            ...workerOptions,
            ...options,
            ...(runsWorkflows ? workflows : {}),
          }),
      ),
    );
    const used = use({
      server,
      host,
      checks,
      producers,
      start: (input, workflowId = checkWorkflowId(input.producerId)) =>
        environment.client.workflow.start<RequestedCheck>('checkAgentsMd', {
          workflowId,
          taskQueue: CHECK_TASK_QUEUE,
          args: [input],
          staticSummary: summaryOf(input),
          typedSearchAttributes: [{ key: producerKey, value: input.producerId }],
        }),
    });
    await workers.reduce((running: Promise<void>, worker) => worker.runUntil(running), used);
  } finally {
    await placeFetcher.close();
    await webhookClient.close();
    await host.stop();
    await server.stop();
    await end();
  }
}
