import type { TemporalServices } from './setup/find-setup-gaps.ts';

export interface PolledTaskQueue {
  readonly taskQueue: string;
  /** Whether Workflow Tasks are expected on it beside Activities. */
  readonly runsWorkflows: boolean;
}

type TaskQueueType = NonNullable<
  Parameters<TemporalServices['workflowService']['describeTaskQueue']>[0]['taskQueueType']
>;
/** Values of temporal.api.enums.v1.TaskQueueType, which the SDK does not export. */
const [WORKFLOW, ACTIVITY] = [1, 2] as unknown as readonly [TaskQueueType, TaskQueueType];

/** A poll lasts a minute at most, and is repeated at once. */
const POLL_AGE_MS_MAX = 70_000;

/** The Task Queues that no Worker has polled for a minute. Throws if the server does not answer. */
export async function findSilentTaskQueues<Queue extends PolledTaskQueue>(
  services: Pick<TemporalServices, 'workflowService'>,
  namespace: string,
  queues: readonly Queue[],
): Promise<Queue[]> {
  const since = Date.now() - POLL_AGE_MS_MAX;
  const polled = await Promise.all(
    queues.map(async ({ taskQueue, runsWorkflows }) => {
      const kinds = runsWorkflows ? [WORKFLOW, ACTIVITY] : [ACTIVITY];
      const each = await Promise.all(kinds.map((kind) => lastPoll(services, namespace, taskQueue, kind)));
      return each.every((at) => at >= since);
    }),
  );
  return queues.filter((_, index) => polled[index] === false);
}

/**
 * When a poll for Workflow Tasks last began or ended, in milliseconds by the server's clock; 0 if none is listed. A poll ends when
 * its Worker takes a task, and when its Worker dies.
 */
export const lastWorkflowPoll = (
  services: Pick<TemporalServices, 'workflowService'>,
  namespace: string,
  taskQueue: string,
): Promise<number> => lastPoll(services, namespace, taskQueue, WORKFLOW);

async function lastPoll(
  { workflowService }: Pick<TemporalServices, 'workflowService'>,
  namespace: string,
  taskQueue: string,
  taskQueueType: TaskQueueType,
): Promise<number> {
  const { pollers } = await workflowService.describeTaskQueue({
    namespace,
    taskQueue: { name: taskQueue },
    taskQueueType,
  });
  return Math.max(
    0,
    ...pollers.map(({ lastAccessTime: at }) => Number(at?.seconds ?? 0) * 1_000 + (at?.nanos ?? 0) / 1_000_000),
  );
}
