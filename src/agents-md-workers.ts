import type { WorkerOptions } from '@temporalio/worker';
import { createAgentsMdActivities } from './activities/index.ts';
import { codeHosts, isHostName } from './agents-md/code-hosts.ts';
import type { CheckStore } from './check-store/check-store.ts';
import type { PlaceFetcher } from './code-host-client/fetch-place.ts';
import type { AgentsMdConfig } from './config.ts';
import { CHECK_TASK_QUEUE, hostTaskQueue } from './workflows/messages.ts';

/** Far above what a rate of one request a second needs; a faster mirror is not slowed down by it. */
const REQUESTS_AT_ONCE = 20;

/**
 * What the Workers of the AGENTS.md check set: one for its Workflows and its records, and one for each code host, whose
 * Task Queue keeps the rate over all Workers.
 */
export function agentsMdWorkers(
  { requestsPerSecond, changeWebhook }: Pick<AgentsMdConfig, 'requestsPerSecond' | 'changeWebhook'>,
  { checks, placeFetcher }: { checks: CheckStore; placeFetcher: PlaceFetcher },
): (Pick<WorkerOptions, 'activities' | 'maxConcurrentActivityTaskExecutions' | 'maxTaskQueueActivitiesPerSecond'> & {
  taskQueue: string;
  runsWorkflows: boolean;
})[] {
  const activities = createAgentsMdActivities({ checks, placeFetcher, changeWebhook });
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
