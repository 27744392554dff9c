import type { Client } from '@temporalio/client';
import { type NativeConnection, Runtime, type WorkerInterceptors, type WorkerOptions } from '@temporalio/worker';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { getServers } from 'node:dns';
import type { ActivityDependencies } from './activities/activity-dependencies.ts';
import { failureInterceptor } from './activities/failure-interceptor.ts';
import { recordAttempts } from './activities/onboarding/record-attempts.ts';
import {
  createActivities,
  createAgentsMdActivities,
  notificationActivities,
  sweepActivities,
} from './activities/index.ts';
import { retentionActivities } from './activities/upkeep/apply-retention.ts';
import { watchActivities } from './activities/upkeep/watch-domain.ts';
import { codeHosts, isHostName } from './agents-md/code-hosts.ts';
import type { CheckStore } from './store/agents-md/check-store.ts';
import { createSqlCheckStore } from './store/agents-md/sql-check-store.ts';
import { type Closers, openTogether } from './lib/closers.ts';
import { createPlaceFetcher, type PlaceFetcher } from './code-host/fetch-place.ts';
import type { AgentsMdConfig, Config } from './config.ts';
import { createAuthoritativeResolver } from './lib/dns/resolver/authoritative-resolver.ts';
import type { ExpectedRecord } from './lib/dns/expected-record.ts';
import { checkRecords } from './lib/dns/check-records.ts';
import { addressPolicy } from './lib/dns/address-policy.ts';
import { createWebhookClient, type WebhookClient } from './lib/webhooks/webhook-client.ts';
import { createHttpEmailProvider } from './email-provider/http-email-provider.ts';
import { webhookPath } from './onboarding/onboarding-ids.ts';
import { createEndedOnboardings } from './client/onboarding/ended-onboardings.ts';
import type { Register } from './store/onboarding/register.ts';
import { keepSchedules } from './client/upkeep/orchestrator-singletons.ts';
import { runningTenants } from './store/onboarding/running-tenants.ts';
import { createSqlNotificationQueue } from './store/upkeep/sql-notification-queue.ts';
import { createSqlApiKeyClaims } from './store/onboarding/sql-api-key-claims.ts';
import { createSqlWatchedDomains } from './store/upkeep/sql-watched-domains.ts';
import { createSqlSecretStore } from './store/sql-secret-store.ts';
import { openOrchestratorParts, type OrchestratorParts } from './orchestrator-parts.ts';
import type { TemporalConfig } from './lib/temporal/temporal-config.ts';
import { connectWorker } from './lib/temporal/connect-worker.ts';
import { startWorkers, type TemporalWorkers } from './lib/temporal/temporal-workers.ts';
import { createHealthApp } from './lib/http/create-health-app.ts';
import { listen } from './lib/http/listen.ts';
import { healthRoutes } from './http/routes/health.ts';
import { workflowBundleOf } from './lib/temporal/workflow-bundle.ts';
import {
  CHECK_TASK_QUEUE,
  hostTaskQueue,
  notificationsTaskQueue,
  ONBOARDING_TASK_QUEUE,
  pollsTaskQueue,
  watchTaskQueue,
} from './workflows/messages.ts';

export interface RunningWorker {
  /** Undefined without a health port. */
  readonly healthUrl: string | undefined;
  /** Resolves when the Workers have ended; rejects if one failed. Call `stop` in both cases. */
  readonly run: Promise<void>;
  stop(): Promise<void>;
}

/** `.ts` in a clone, `.js` in the built package. */
export const workflowsPath = fileURLToPath(new URL(`./workflows/index${extname(import.meta.url)}`, import.meta.url));

export const workerOptions = {
  // After a Worker is killed, its tenants stop for this time; the default is 10 s.
  stickyQueueScheduleToStartTimeout: '2 seconds',
  // About 0.15 MB each; one that waits needs none, and is replayed from its history when it is woken, at the CPU of three checks. The
  // default depends on the heap.
  maxCachedWorkflows: 500,
  // An attempt takes at most 20 s, so that attempts under way can finish.
  shutdownGraceTime: '20 seconds',
  shutdownForceTime: '30 seconds',
  // Each is an open request, and every task comes through one; the default is 10 of each kind.
  workflowTaskPollerBehavior: { type: 'simple-maximum', maximum: 2 },
  activityTaskPollerBehavior: { type: 'simple-maximum', maximum: 2 },
  interceptors: { activity: [() => ({ inbound: failureInterceptor })] },
} as const satisfies Partial<WorkerOptions>;

export const onboardingInterceptors = (register: Register): WorkerInterceptors => ({
  activity: [() => ({ inbound: recordAttempts(register) }), ...workerOptions.interceptors.activity],
});

/** For the Task Queues of onboardings, which may start and wake up by the thousand. */
const manyPollers = {
  workflowTaskPollerBehavior: { type: 'simple-maximum', maximum: 5 },
  activityTaskPollerBehavior: { type: 'simple-maximum', maximum: 5 },
} as const satisfies Partial<WorkerOptions>;

/** Maximum polls per second sent to the provider, across all tenants and Workers. */
const POLLS_PER_SECOND_MAX = 50;
/** The same for checks of verified domains, which can wait: 10,000 domains take 17 minutes. */
const WATCH_CHECKS_PER_SECOND_MAX = 10;

/** Of each Worker, to the backend: one that is slow must not get all its requests at once after an outage. */
const POSTS_AT_ONCE = 20;

/**
 * Runs the orchestrator's Workflows and Activities. Resolves once every Worker polls; if one cannot, throws with nothing left
 * open.
 */
export const startWorker = (config: Config, temporal: TemporalConfig): Promise<RunningWorker> =>
  openTogether(async (closers) => {
    const warn = (message: string, meta: object): void => {
      Runtime.instance().logger.warn(message, { ...meta });
    };
    const parts = await openOrchestratorParts(closers, { connect: connectWorker, config, temporal, warn });
    const workers = await runWorkers(closers, parts);
    const { healthPort } = config;
    if (healthPort === undefined) return { healthUrl: undefined, run: workers.run, stop: closers.close };
    const { findSetupGaps, checkDatabase } = parts;
    const health = createHealthApp('orchestrator', (app) => {
      healthRoutes(app, { findSetupGaps, checkDatabase, areWorkersRunning: workers.areRunning });
    });
    closers.add(() => health.close());
    const healthUrl = await listen(health, {
      ...{ host: config.host, port: healthPort },
      settings: { host: 'SENDOFF_HOST', port: 'SENDOFF_HEALTH_PORT' },
    });
    return { healthUrl, run: workers.run, stop: closers.close };
  });

/** Starts the Workers, and adapts the Schedules to the settings. */
export async function runWorkers(
  closers: Closers,
  parts: OrchestratorParts & { readonly connection: NativeConnection },
): Promise<TemporalWorkers> {
  const { config, connection, client, background, database, sealer, register } = parts;
  const provider = createHttpEmailProvider({
    baseUrl: config.providerUrl,
    operatorToken: config.providerOperatorToken,
  });
  closers.add(() => provider.close());
  const resolver = createAuthoritativeResolver({
    resolvers: config.dnsResolvers ?? getServers(),
    port: config.dnsPort,
    mayAsk: addressPolicy(config),
  });
  const dependencies = {
    provider,
    secrets: createSqlSecretStore(database, sealer),
    register,
    checkRecords: (domain: string, expected: readonly ExpectedRecord[]) => checkRecords(resolver, domain, expected),
  };
  const { agentsMd } = config;
  const placeFetcher = agentsMd && createPlaceFetcher({ contact: agentsMd.contact, urls: agentsMd.hostUrls });
  closers.add(() => placeFetcher?.close());
  // The operator's own receivers may have private addresses.
  const webhookClient = createWebhookClient({ allowHttp: true, mayConnectTo: () => true, now: () => new Date() });
  closers.add(() => webhookClient.close());
  // Shared by all Workers that run Workflows.
  const workflowBundle = await workflowBundleOf(workflowsPath);
  const inNamespaceOf = ({ options: { namespace } }: Client, workers: readonly DomainWorker[]): WorkerOptions[] =>
    workers.map(({ runsWorkflows, ...options }) => ({
      ...{ ...workerOptions, connection, namespace, ...options },
      ...(runsWorkflows ? { workflowBundle } : {}),
    }));
  const workers = await startWorkers(
    onePerTaskQueue([
      ...inNamespaceOf(client, onboardingWorkers(parts, dependencies)),
      ...inNamespaceOf(background, backgroundWorkers(parts, { ...dependencies, webhookClient })),
      ...(agentsMd && placeFetcher
        ? inNamespaceOf(
            client,
            agentsMdWorkers(agentsMd, { checks: createSqlCheckStore(database), placeFetcher, webhookClient }),
          )
        : []),
    ]),
  );
  closers.add(() => workers.stop());
  await keepSchedules(background, config.watchIntervalMs);
  return workers;
}

type DomainWorker = Omit<WorkerOptions, 'connection' | 'namespace' | 'workflowBundle'> & {
  readonly runsWorkflows: boolean;
};

/** Where both Namespaces are one, so is the Task Queue of Workflows: one Worker runs the Activities of both. */
function onePerTaskQueue(workers: readonly WorkerOptions[]): readonly WorkerOptions[] {
  const each = new Map<string, WorkerOptions>();
  for (const worker of workers) {
    const key = JSON.stringify([worker.namespace, worker.taskQueue]);
    const first = each.get(key);
    each.set(key, { ...worker, ...first, activities: { ...worker.activities, ...first?.activities } });
  }
  return [...each.values()];
}

function onboardingWorkers(
  { config: { publicUrl }, register }: OrchestratorParts,
  dependencies: Omit<ActivityDependencies, 'webhookUrl'>,
): DomainWorker[] {
  const activities = createActivities({
    ...dependencies,
    webhookUrl: publicUrl === undefined ? undefined : (tenantId) => publicUrl + webhookPath(tenantId),
  });
  const onboarding = { ...manyPollers, activities, interceptors: onboardingInterceptors(register) };
  return [
    { ...onboarding, taskQueue: ONBOARDING_TASK_QUEUE, runsWorkflows: true },
    // Ten thousand waiting tenants must neither delay a step nor flood the provider after an outage.
    {
      ...onboarding,
      taskQueue: pollsTaskQueue(ONBOARDING_TASK_QUEUE),
      runsWorkflows: false,
      maxTaskQueueActivitiesPerSecond: POLLS_PER_SECOND_MAX,
    },
  ];
}

/** For the sweep, retention, notifications and checks of verified domains. */
function backgroundWorkers(
  { config, client, database, sealer, notifications, register, requireOwnNamespace }: OrchestratorParts,
  dependencies: Omit<ActivityDependencies, 'webhookUrl'> & { readonly webhookClient: WebhookClient },
): DomainWorker[] {
  const { notificationReceiver, watchIntervalMs } = config;
  const queue = createSqlNotificationQueue(database);
  const sweep = sweepActivities({
    register,
    claims: createSqlApiKeyClaims(database, sealer),
    runningTenants: (page) => runningTenants(database, page),
    ...createEndedOnboardings(client),
    requireOwnNamespace,
    notifications: notificationReceiver && { tenants: queue.tenants, resume: notifications.resume },
  });
  return [
    {
      ...manyPollers,
      taskQueue: ONBOARDING_TASK_QUEUE,
      runsWorkflows: true,
      activities: { ...sweep, ...retentionActivities(database, config.eventRetentionMs) },
    },
    {
      taskQueue: watchTaskQueue(ONBOARDING_TASK_QUEUE),
      runsWorkflows: false,
      activities: watchActivities({
        ...dependencies,
        watchedDomains: createSqlWatchedDomains(database, register),
        watchIntervalMs,
      }),
      maxTaskQueueActivitiesPerSecond: WATCH_CHECKS_PER_SECOND_MAX,
    },
    ...(notificationReceiver
      ? [
          {
            taskQueue: notificationsTaskQueue(ONBOARDING_TASK_QUEUE),
            runsWorkflows: false,
            activities: notificationActivities({
              queue,
              receiver: notificationReceiver,
              webhookClient: dependencies.webhookClient,
            }),
            maxConcurrentActivityTaskExecutions: POSTS_AT_ONCE,
          },
        ]
      : []),
  ];
}

/** Far more than one request a second needs, so that it does not slow down a faster mirror. */
const REQUESTS_AT_ONCE = 20;

/**
 * One Worker for the Workflows and the database, and one per code host, whose Task Queue limits the rate across all Workers.
 */
export function agentsMdWorkers(
  { requestsPerSecond, changeReceiver }: Pick<AgentsMdConfig, 'requestsPerSecond' | 'changeReceiver'>,
  parts: { checks: CheckStore; placeFetcher: PlaceFetcher; webhookClient: WebhookClient },
): DomainWorker[] {
  const activities = createAgentsMdActivities({ ...parts, changeReceiver });
  return [
    { taskQueue: CHECK_TASK_QUEUE, activities, runsWorkflows: true },
    ...Object.keys(codeHosts)
      .filter(isHostName)
      .map((host) => ({
        taskQueue: hostTaskQueue(CHECK_TASK_QUEUE, host),
        activities,
        runsWorkflows: false,
        maxTaskQueueActivitiesPerSecond: requestsPerSecond,
        maxConcurrentActivityTaskExecutions: REQUESTS_AT_ONCE,
      })),
  ];
}
