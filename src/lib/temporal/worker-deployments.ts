import type { Client } from '@temporalio/client';
import { GrpcCode, grpcCode } from './grpc-code.ts';
import type { PollsWanted } from './find-silent-task-queues.ts';
import { kindNumbers, kindsOf, type PolledTaskQueue } from './last-poll.ts';
import type { WorkerRelease } from './worker-release.ts';

export type WorkerVersion = NonNullable<WorkerRelease['version']>;

export interface WorkerDeployment {
  /** The build that gets the tasks; null: Workers without a version. */
  readonly current: string | null;
  readonly versions: readonly { readonly buildId: string; readonly status: VersionStatus }[];
  /** Changes with the deployment. */
  readonly conflictToken: Uint8Array;
}

/** By the number in temporal.api.enums.v1.WorkerDeploymentVersionStatus, which the SDK does not export. */
const statuses = ['unspecified', 'inactive', 'current', 'ramping', 'draining', 'drained', 'created'] as const;
type VersionStatus = (typeof statuses)[number];

/** Undefined if no Worker of it has polled in the Namespace of the client. */
export async function describeWorkerDeployment(
  { workflowService, options: { namespace } }: Client,
  deploymentName: string,
): Promise<WorkerDeployment | undefined> {
  try {
    const { conflictToken, workerDeploymentInfo: info } = await workflowService.describeWorkerDeployment({
      namespace,
      deploymentName,
    });
    return {
      current: info?.routingConfig?.currentDeploymentVersion?.buildId ?? null,
      versions: (info?.versionSummaries ?? []).map(({ deploymentVersion, status }) => ({
        buildId: deploymentVersion?.buildId ?? '',
        status: statuses[Number(status)] ?? 'unspecified',
      })),
      conflictToken,
    };
  } catch (error) {
    if (grpcCode(error) === GrpcCode.NOT_FOUND) return undefined;
    throw error;
  }
}

/**
 * The Task Queues that the server has yet to register for a version. It does so some time after the first poll, and until then refuses to
 * make the version current.
 */
export async function findUnregisteredTaskQueues<Queue extends PolledTaskQueue>(
  { workflowService, options: { namespace } }: Client,
  deploymentVersion: WorkerVersion,
  queues: readonly Queue[],
): Promise<Queue[]> {
  try {
    const { versionTaskQueues } = await workflowService.describeWorkerDeploymentVersion({
      namespace,
      deploymentVersion,
    });
    const registered = versionTaskQueues.map(({ name, type }) => `${String(type)} ${name ?? ''}`);
    return queues.filter((queue) =>
      kindsOf(queue).some((kind) => !registered.includes(`${String(kindNumbers[kind])} ${queue.taskQueue}`)),
    );
  } catch (error) {
    if (grpcCode(error) === GrpcCode.NOT_FOUND) return [...queues];
    throw error;
  }
}

/** Throws the server's refusal: the deployment has changed meanwhile, or the version does not poll a Task Queue of the one before. */
export async function makeCurrent(
  { workflowService, options: { namespace, identity } }: Client,
  { deploymentName, buildId }: WorkerVersion,
  { conflictToken }: WorkerDeployment,
): Promise<void> {
  await workflowService.setWorkerDeploymentCurrentVersion({
    ...{ namespace, deploymentName, buildId, conflictToken, identity },
    ...{ ignoreMissingTaskQueues: false, allowNoPollers: false },
  });
}

export const pollsAs = ({ deploymentName, buildId }: WorkerVersion): PollsWanted => ({
  by: ({ deploymentOptions }) =>
    deploymentOptions?.deploymentName === deploymentName && deploymentOptions.buildId === buildId,
});
