import { type Client, type WorkflowHandle, WorkflowNotFoundError } from '@temporalio/client';
import { codeHosts, isHostName } from '../agents-md/code-hosts.ts';
import { lastWorkflowPoll, type PolledTaskQueue } from '../lib/temporal/last-poll.ts';
import type { ProviderName } from '../onboarding/provider-name.ts';
import {
  CHECK_TASK_QUEUE,
  hostTaskQueue,
  INSTALLATION_WORKFLOW_ID,
  notificationsTaskQueue,
  ONBOARDING_TASK_QUEUE,
  pollsTaskQueue,
  providerTaskQueue,
  watchTaskQueue,
} from '../workflows/messages.ts';

/**
 * The Task Queues that the orchestrator's Workers poll in TEMPORAL_NAMESPACE.
 *
 * @param options.providers those with an operator's account in the settings
 * @param options.agentsMd whether AGENTS.md checks are on
 */
export function orchestratorTaskQueues({
  providers,
  agentsMd,
}: {
  providers: readonly ProviderName[];
  agentsMd: boolean;
}): readonly PolledTaskQueue[] {
  const hosts = Object.keys(codeHosts).filter(isHostName);
  return [
    { taskQueue: ONBOARDING_TASK_QUEUE, runsWorkflows: true },
    { taskQueue: pollsTaskQueue(ONBOARDING_TASK_QUEUE), runsWorkflows: false },
    ...providers.map((provider) => ({
      taskQueue: providerTaskQueue(ONBOARDING_TASK_QUEUE, provider),
      runsWorkflows: false,
    })),
    ...(agentsMd
      ? [
          { taskQueue: CHECK_TASK_QUEUE, runsWorkflows: true },
          ...hosts.map((host) => ({ taskQueue: hostTaskQueue(CHECK_TASK_QUEUE, host), runsWorkflows: false })),
        ]
      : []),
  ];
}

/** Those in the background Namespace. @param options.notifications whether the backend is notified */
export const backgroundTaskQueues = ({ notifications }: { notifications: boolean }): readonly PolledTaskQueue[] => [
  { taskQueue: ONBOARDING_TASK_QUEUE, runsWorkflows: true },
  { taskQueue: watchTaskQueue(ONBOARDING_TASK_QUEUE), runsWorkflows: false },
  ...(notifications ? [{ taskQueue: notificationsTaskQueue(ONBOARDING_TASK_QUEUE), runsWorkflows: false }] : []),
];

/** Whether a Worker answers a Query now. One that was killed a moment ago is still listed as a poller. */
export const answersQueries = (client: Client, { timeoutMs }: { timeoutMs: number }): Promise<boolean> =>
  queried(client, client.workflow.getHandle(INSTALLATION_WORKFLOW_ID), timeoutMs).then(
    () => true,
    () => false,
  );

const queried = (client: Client, handle: WorkflowHandle, timeoutMs: number): Promise<unknown> =>
  client.withDeadline(Date.now() + timeoutMs, () => handle.query('__temporal_workflow_metadata'));

export interface WorkerProbe {
  readonly timeoutMs: number;
  readonly taskQueue?: string;
  /** Handle of an onboarding, which is asked too. One that does not exist needs no Worker, which counts as an answer. */
  readonly handle?: WorkflowHandle;
}

/**
 * Whether a Worker answers a Query in this time. `busy`: one has taken the Query, or another task meanwhile, and has not answered;
 * after the sticky timeout the server gives the Query to any Worker. `silent`: no Worker took it, as when all were killed.
 */
export async function probeWorkers(
  client: Client,
  { timeoutMs, taskQueue = ONBOARDING_TASK_QUEUE, handle }: WorkerProbe,
): Promise<'answering' | 'busy' | 'silent'> {
  const { workflowService, options } = client;
  const lastPoll = (): Promise<number> => lastWorkflowPoll({ workflowService }, options.namespace, taskQueue);
  const before = await lastPoll();
  // That of an onboarding waits for the onboarding's Workflow Task, if one is under way.
  const handles = [client.workflow.getHandle(INSTALLATION_WORKFLOW_ID), ...(handle === undefined ? [] : [handle])];
  const answers = handles.map((one) =>
    queried(client, one, timeoutMs).catch((error: unknown) => {
      if (one !== handle || !(error instanceof WorkflowNotFoundError)) throw error;
    }),
  );
  return Promise.any(answers).then(
    () => 'answering',
    async () => ((await lastPoll()) > before ? 'busy' : 'silent'),
  );
}
