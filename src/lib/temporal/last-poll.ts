// A server lists the pollers of a partition by its name, and under the name of the Task Queue those of its root partition alone. A Worker
// may poll the others only, so each partition is asked about.
import { GrpcCode, grpcCode } from './grpc-code.ts';
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
export const kindNumbers = { workflow: 1, activity: 2 } as unknown as Readonly<Record<TaskKind, TaskQueueType>>;

export type TaskKind = 'workflow' | 'activity';

export const kindsOf = ({ runsWorkflows }: Pick<PolledTaskQueue, 'runsWorkflows'>): readonly TaskKind[] =>
  runsWorkflows ? ['workflow', 'activity'] : ['activity'];

export type PollingServices = Pick<TemporalServices, 'workflowService'>;
export type WorkerPoller = Awaited<
  ReturnType<PollingServices['workflowService']['describeTaskQueue']>
>['pollers'][number];

/** See lastPoll: that of any Worker for Workflow Tasks. */
export const lastWorkflowPoll = (services: PollingServices, namespace: string, taskQueue: string): Promise<number> =>
  lastPoll(services, { namespace, taskQueue, kind: 'workflow', by: () => true });

interface PollsOfQueue {
  /** Which Workers count. */
  readonly by: (poller: WorkerPoller) => boolean;
  readonly namespace: string;
  readonly taskQueue: string;
  readonly kind: TaskKind;
}

/**
 * When a poll for tasks of the kind last began or ended, in milliseconds by the server's clock; 0 if none is listed. A poll ends when
 * its Worker takes a task, and when its Worker dies.
 */
export async function lastPoll(services: PollingServices, { by, ...queue }: PollsOfQueue): Promise<number> {
  const { namespace, kind } = queue;
  const partitions = await partitionsOf(services, queue);
  const found = await Promise.all(
    partitions.map(async (name) => {
      const { pollers } = await services.workflowService.describeTaskQueue({
        namespace,
        taskQueue: { name },
        taskQueueType: kindNumbers[kind],
      });
      return pollers;
    }),
  );
  return Math.max(
    0,
    ...found
      .flat()
      .filter(by)
      .map(({ lastAccessTime: at }) => Number(at?.seconds ?? 0) * 1_000 + (at?.nanos ?? 0) / 1_000_000),
  );
}

/** A server that does not list them. */
const NOT_LISTED: readonly (number | undefined)[] = [GrpcCode.UNIMPLEMENTED, GrpcCode.PERMISSION_DENIED];

/** Names of the partitions of a kind; that of the root if the server does not list them. */
async function partitionsOf(
  { workflowService }: PollingServices,
  { namespace, taskQueue, kind }: Omit<PollsOfQueue, 'by'>,
): Promise<readonly string[]> {
  try {
    const listed = await workflowService.listTaskQueuePartitions({ namespace, taskQueue: { name: taskQueue } });
    const keys = listed[`${kind}TaskQueuePartitions`].flatMap(({ key }) => key ?? []);
    return keys.length === 0 ? [taskQueue] : keys;
  } catch (error) {
    if (NOT_LISTED.includes(grpcCode(error))) return [taskQueue];
    throw error;
  }
}
