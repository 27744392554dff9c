import type { ActivityDependencies } from './activities/activity-dependencies.ts';
import { notificationActivities, sweepActivities } from './activities/index.ts';
import { retentionActivities } from './activities/upkeep/apply-retention.ts';
import { watchActivities } from './activities/upkeep/watch-domain.ts';
import { createEndedOnboardings } from './client/onboarding/ended-onboardings.ts';
import { createStuckOnboardings } from './client/onboarding/stuck-onboardings.ts';
import type { WebhookClient } from './lib/webhooks/webhook-client.ts';
import type { OrchestratorParts } from './orchestrator-parts.ts';
import { runningTenants, stuckTenants } from './store/onboarding/running-tenants.ts';
import { createSqlApiKeyClaims } from './store/onboarding/sql-api-key-claims.ts';
import { databaseRestores } from './store/upkeep/restored-database.ts';
import { createSqlNotificationQueue } from './store/upkeep/notification-queue.ts';
import { createSqlWatchedDomains } from './store/upkeep/sql-watched-domains.ts';
import { notificationsTaskQueue, ONBOARDING_TASK_QUEUE, watchTaskQueue } from './workflows/messages.ts';
import { manyPollers, type TaskQueueWorker } from './worker-options.ts';

/** Maximum checks of verified domains per second, across all Workers. They can wait: 10,000 domains take 17 minutes. */
const WATCH_CHECKS_PER_SECOND_MAX = 10;
/** Requests of each Worker to the backend: one that is slow must not get all its requests at once after an outage. */
const POSTS_AT_ONCE = 20;

/** For the sweep, retention, notifications and checks of verified domains. */
export function upkeepWorkers(
  { config, client, database, sealer, notifications, register, requireOwnNamespace }: OrchestratorParts,
  dependencies: Omit<ActivityDependencies, 'webhookUrl'> & { readonly webhookClient: WebhookClient },
): TaskQueueWorker[] {
  const { notificationReceiver: receiver, watchIntervalMs } = config;
  const { webhookClient } = dependencies;
  const queue = createSqlNotificationQueue(database);
  const sweep = sweepActivities({
    register,
    claims: createSqlApiKeyClaims(database, sealer),
    runningTenants: (page) => runningTenants(database, page),
    stuckTenants: (page) => stuckTenants(database, page),
    stuckOnboardings: createStuckOnboardings(client),
    ...createEndedOnboardings(client),
    requireOwnNamespace,
    restores: databaseRestores(database),
    notifications: receiver && { tenants: queue.tenants, resume: notifications.resume },
  });
  const watchedDomains = createSqlWatchedDomains(database, register);
  const posts: TaskQueueWorker | undefined = receiver && {
    taskQueue: notificationsTaskQueue(ONBOARDING_TASK_QUEUE),
    runsWorkflows: false,
    activities: notificationActivities({ queue, receiver, webhookClient }),
    maxConcurrentActivityTaskExecutions: POSTS_AT_ONCE,
  };
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
      activities: watchActivities({ ...dependencies, watchedDomains, watchIntervalMs }),
      maxTaskQueueActivitiesPerSecond: WATCH_CHECKS_PER_SECOND_MAX,
    },
    ...(posts ? [posts] : []),
  ];
}
