import { Worker } from '@temporalio/worker';
import { watchActivities } from '../../src/activities/watch-domain.ts';
import { newOnboarding } from '../../src/onboarding/onboarding.ts';
import { apiKeyRef } from '../../src/onboarding/onboarding-ids.ts';
import { putIssued } from '../../src/store/issued-secret.ts';
import type { Register } from '../../src/store/register.ts';
import { createSqlWatchedDomains } from '../../src/store/sql-watched-domains.ts';
import type { WatchedDomains } from '../../src/store/watched-domains.ts';
import { watchTaskQueue, WATCH_WORKFLOW_TYPE } from '../../src/workflows/messages.ts';
import { searchAttributeKeys } from '../../src/workflows/search-attributes.ts';
import type { WatchReport } from '../../src/workflows/watch-domains.ts';
import { workerOptions, workflowsPath } from '../../src/worker.ts';
import { inputOf } from './onboarding-environment.ts';
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
  const { register, database, end } = await openTestRegister();
  try {
    const { environment, namespace } = server;
    const scripted = scriptedProvider({ dns: () => 'published', ...overrides });
    const { provider, checkRecords } = scripted;
    const secrets = memorySecretStore();
    const watchedDomains = createSqlWatchedDomains(database, register);
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
            const key = await provider.createApiKey(
              { account: tenantId, name: tenantId },
              { idempotencyKey: tenantId },
            );
            await putIssued(secrets, apiKeyRef(tenantId), { id: key.id, secret: key.token ?? '' });
            const input = inputOf(tenantId);
            const account = provider.withKey(key.token ?? '');
            const { id } = await account.createDomain({ name: input.domain }, { idempotencyKey: `${tenantId}/domain` });
            const attempt = { tenantId, attemptId: `attempt-${tenantId}`, startedAt: at, startedWith: null };
            const onboarding = { ...newOnboarding(input), domainId: id };
            const run = { runId: `attempt-${tenantId}`, at };
            await register.end({ ...attempt, ...run, onboarding, outcome: 'onboarded', result: null, failure: null });
          },
          async sweep(after) {
            if (after !== undefined) await environment.sleep(after);
            return environment.client.workflow.execute(WATCH_WORKFLOW_TYPE, {
              workflowId: `sweep-${++sweeps}`,
              taskQueue: TASK_QUEUE,
            }) as Promise<WatchReport>;
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
