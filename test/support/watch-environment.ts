import { Client } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import { watchActivities } from '../../src/activities/upkeep/watch-domain.ts';
import type { Register } from '../../src/store/onboarding/register.ts';
import type { WatchedDomains } from '../../src/store/upkeep/sql-watched-domains.ts';
import { watchTaskQueue, WATCH_WORKFLOW_TYPE } from '../../src/workflows/messages.ts';
import { searchAttributeKeys } from '../../src/workflows/search-attributes.ts';
import type { WatchReport } from '../../src/workflows/upkeep/watch-domains.ts';
import { workerOptions } from '../../src/worker-options.ts';
import { workflowsPath } from '../../src/worker.ts';
import { onboardedTenant } from './onboarded-tenant.ts';
import { memorySecretStore, type Script, scriptedProvider, type ScriptedProvider } from './scripted-provider.ts';
import { openTestRegister } from './test-register.ts';
import { type TestServer, timeSkippingServer } from './temporal.ts';
import { workflowCode } from './workflow-bundle.ts';

const TASK_QUEUE = 'watch-test';
const DAY_MS = 86_400_000;

export interface WatchEnvironment {
  readonly server: TestServer;
  readonly scripted: ScriptedProvider;
  readonly secrets: ReturnType<typeof memorySecretStore>;
  readonly register: Register;
  readonly watchedDomains: WatchedDomains;
  /** A tenant whose onboarding has succeeded. */
  readonly onboarded: (tenantId: string) => Promise<void>;
  /** One run of the Schedule's Workflow; waits that time before it. */
  readonly sweep: (after?: string) => Promise<WatchReport>;
  /** Of each run of the last sweep, which Continue-As-New links. */
  readonly events: () => Promise<number[]>;
  readonly eventTypes: (tenantId: string) => Promise<string[]>;
}

/** The Workflow that watches verified domains, with a provider and DNS in memory and a real register; every Task replays. */
export async function withWatch(
  overrides: Partial<Script>,
  use: (environment: WatchEnvironment) => Promise<void>,
  startServer: () => Promise<TestServer> = () => timeSkippingServer(searchAttributeKeys),
  maxCachedWorkflows = 0,
): Promise<void> {
  const server = await startServer();
  const { register, watchedDomains, end } = await openTestRegister();
  try {
    const { environment, namespace } = server;
    const scripted = scriptedProvider({ dns: () => 'published', ...overrides });
    const { provider, checkRecords } = scripted;
    const secrets = memorySecretStore();
    const shared = { connection: environment.nativeConnection, namespace, ...workerOptions };
    const workflows = await Worker.create({
      ...shared,
      taskQueue: TASK_QUEUE,
      ...(await workflowCode(workflowsPath)),
      maxCachedWorkflows,
      ...(maxCachedWorkflows === 0 ? { stickyQueueScheduleToStartTimeout: 0 } : {}),
    });
    const checks = await Worker.create({
      ...shared,
      taskQueue: watchTaskQueue(TASK_QUEUE),
      activities: watchActivities({
        ...{ provider, secrets, register, watchedDomains, checkRecords },
        watchIntervalMs: DAY_MS,
      }),
    });
    let sweeps = 0;
    await workflows.runUntil(
      checks.runUntil(
        use({
          ...{ server, scripted, secrets, register, watchedDomains },
          async onboarded(tenantId) {
            const at = new Date(await environment.currentTimeMs()).toISOString();
            await onboardedTenant(tenantId, at, { provider, secrets, register });
          },
          async sweep(after) {
            if (after !== undefined) await environment.sleep(after);
            // A client that does not skip time: with one that does, years may pass between two sweeps.
            return new Client({ connection: environment.connection, namespace }).workflow.execute(WATCH_WORKFLOW_TYPE, {
              workflowId: `sweep-${++sweeps}`,
              taskQueue: TASK_QUEUE,
            }) as Promise<WatchReport>;
          },
          async events() {
            const lengths: number[] = [];
            const list = environment.client.workflow.list({ query: `WorkflowId = "sweep-${sweeps}"` });
            for await (const { historyLength } of list) lengths.push(historyLength);
            return lengths;
          },
          async eventTypes(tenantId) {
            const events = await register.events({ after: 0, tenantId, limit: 100 });
            return events.map(({ type }) => type).filter((type) => type.startsWith('domain.'));
          },
        }),
      ),
    );
  } finally {
    await server.stop();
    await end();
  }
}
