import type { Client } from '@temporalio/client';
import { codeHosts, isHostName } from '../agents-md/code-hosts.ts';
import type { PolledTaskQueue } from '../lib/temporal/find-silent-task-queues.ts';
import {
  CHECK_TASK_QUEUE,
  hostTaskQueue,
  INSTALLATION_WORKFLOW_ID,
  ONBOARDING_TASK_QUEUE,
  pollsTaskQueue,
} from '../workflows/messages.ts';
import { described } from './timely.ts';

/** The Task Queues that the orchestrator's Workers poll. @param options.agentsMd whether AGENTS.md checks are on */
export function orchestratorTaskQueues({ agentsMd }: { agentsMd: boolean }): readonly PolledTaskQueue[] {
  const hosts = Object.keys(codeHosts).filter(isHostName);
  return [
    { taskQueue: ONBOARDING_TASK_QUEUE, runsWorkflows: true },
    { taskQueue: pollsTaskQueue(ONBOARDING_TASK_QUEUE), runsWorkflows: false },
    ...(agentsMd
      ? [
          { taskQueue: CHECK_TASK_QUEUE, runsWorkflows: true },
          ...hosts.map((host) => ({ taskQueue: hostTaskQueue(CHECK_TASK_QUEUE, host), runsWorkflows: false })),
        ]
      : []),
  ];
}

/** Long enough for a Worker that has just been started. */
const QUERY_TIMEOUT_MS = 6_000;

/** Whether a Worker answers a Query now; undefined if no server or Worker has claimed the Namespace yet. */
export async function worksOnInstallation(client: Client): Promise<boolean | undefined> {
  const description = await described(client, INSTALLATION_WORKFLOW_ID);
  if (description?.status.name !== 'RUNNING') return undefined;
  const handle = client.workflow.getHandle(INSTALLATION_WORKFLOW_ID);
  try {
    await client.withDeadline(Date.now() + QUERY_TIMEOUT_MS, () => handle.query('__temporal_workflow_metadata'));
    return true;
  } catch {
    return false;
  }
}
