import { type AgentsMdDependencies, createAgentsMdActivities } from './activities/index.ts';
import { codeHosts, isHostName } from './agents-md/code-hosts.ts';
import { requestsPerSecondTo } from './agents-md/request-rates.ts';
import type { AgentsMdConfig } from './config.ts';
import { CHECK_TASK_QUEUE, hostTaskQueue } from './workflows/messages.ts';
import type { TaskQueueWorker } from './worker-options.ts';

/** Far more than any host's rate needs, so that it does not slow down a faster mirror. */
const REQUESTS_AT_ONCE = 20;

/** One Worker for the Workflows and the database, and one per code host, whose Task Queue limits the rate across all Workers. */
export function agentsMdWorkers(
  { requestsPerSecond, changeReceiver }: Pick<AgentsMdConfig, 'requestsPerSecond' | 'changeReceiver'>,
  parts: Omit<AgentsMdDependencies, 'changeReceiver'>,
): TaskQueueWorker[] {
  const activities = createAgentsMdActivities({ ...parts, changeReceiver });
  return [
    { taskQueue: CHECK_TASK_QUEUE, activities, runsWorkflows: true },
    ...Object.keys(codeHosts)
      .filter(isHostName)
      .map((host) => ({
        taskQueue: hostTaskQueue(CHECK_TASK_QUEUE, host),
        activities,
        runsWorkflows: false,
        maxTaskQueueActivitiesPerSecond: requestsPerSecondTo(host, requestsPerSecond),
        maxConcurrentActivityTaskExecutions: REQUESTS_AT_ONCE,
      })),
  ];
}
