import type { TemporalServices } from './setup/find-setup-gaps.ts';

export interface PolledTaskQueue {
  readonly taskQueue: string;
  /** Whether Workflow Tasks are expected on it beside Activities. */
  readonly runsWorkflows: boolean;
}

type TaskQueueType = NonNullable<
  Parameters<TemporalServices['workflowService']['describeTaskQueue']>[0]['taskQueueType']
>;
/** Of temporal.api.enums.v1.TaskQueueType, which the SDK does not export. */
const [WORKFLOW, ACTIVITY] = [1, 2] as unknown as readonly [TaskQueueType, TaskQueueType];

/** A poll lasts a minute at most, and is repeated at once. */
const POLL_AGE_MS_MAX = 70_000;

/** The Task Queues that no Worker has polled for a minute. Throws if the server does not answer. */
export async function findSilentTaskQueues<Queue extends PolledTaskQueue>(
  services: Pick<TemporalServices, 'workflowService'>,
  namespace: string,
  queues: readonly Queue[],
): Promise<Queue[]> {
  const polled = await Promise.all(
    queues.map(async ({ taskQueue, runsWorkflows }) => {
      const kinds = runsWorkflows ? [WORKFLOW, ACTIVITY] : [ACTIVITY];
      const each = await Promise.all(kinds.map((kind) => isPolled(services, namespace, taskQueue, kind)));
      return each.every(Boolean);
    }),
  );
  return queues.filter((_, index) => polled[index] === false);
}

async function isPolled(
  { workflowService }: Pick<TemporalServices, 'workflowService'>,
  namespace: string,
  taskQueue: string,
  taskQueueType: TaskQueueType,
): Promise<boolean> {
  const { pollers } = await workflowService.describeTaskQueue({
    namespace,
    taskQueue: { name: taskQueue },
    taskQueueType,
  });
  const since = Date.now() - POLL_AGE_MS_MAX;
  return pollers.some(({ lastAccessTime }) => Number(lastAccessTime?.seconds ?? 0) * 1_000 >= since);
}
