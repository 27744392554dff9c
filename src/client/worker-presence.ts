import type { Client } from '@temporalio/client';
import { codeHosts, isHostName } from '../agents-md/code-hosts.ts';
import type { PolledTaskQueue } from '../lib/temporal/find-silent-task-queues.ts';
import {
  CHECK_TASK_QUEUE,
  hostTaskQueue,
  INSTALLATION_WORKFLOW_ID,
  notificationsTaskQueue,
  ONBOARDING_TASK_QUEUE,
  pollsTaskQueue,
  watchTaskQueue,
} from '../workflows/messages.ts';

/**
 * The Task Queues that the orchestrator's Workers poll.
 *
 * @param options.agentsMd whether AGENTS.md checks are on
 * @param options.notifications whether the backend is notified
 */
export function orchestratorTaskQueues({
  agentsMd,
  notifications,
}: {
  agentsMd: boolean;
  notifications: boolean;
}): readonly PolledTaskQueue[] {
  const hosts = Object.keys(codeHosts).filter(isHostName);
  return [
    { taskQueue: ONBOARDING_TASK_QUEUE, runsWorkflows: true },
    { taskQueue: pollsTaskQueue(ONBOARDING_TASK_QUEUE), runsWorkflows: false },
    { taskQueue: watchTaskQueue(ONBOARDING_TASK_QUEUE), runsWorkflows: false },
    ...(notifications ? [{ taskQueue: notificationsTaskQueue(ONBOARDING_TASK_QUEUE), runsWorkflows: false }] : []),
    ...(agentsMd
      ? [
          { taskQueue: CHECK_TASK_QUEUE, runsWorkflows: true },
          ...hosts.map((host) => ({ taskQueue: hostTaskQueue(CHECK_TASK_QUEUE, host), runsWorkflows: false })),
        ]
      : []),
  ];
}

/** Whether a Worker answers a Query now. One that was killed a moment ago is still listed as a poller. */
export async function answersQueries(client: Client, { timeoutMs }: { timeoutMs: number }): Promise<boolean> {
  try {
    await client.withDeadline(Date.now() + timeoutMs, () =>
      client.workflow.getHandle(INSTALLATION_WORKFLOW_ID).query('__temporal_workflow_metadata'),
    );
    return true;
  } catch {
    return false;
  }
}
