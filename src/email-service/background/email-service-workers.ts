import type { NativeConnection, WorkerOptions } from '@temporalio/worker';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import { releaseOptions, type WorkerRelease } from '../../lib/temporal/worker-release.ts';
import type { TemporalConfig } from '../../lib/temporal/temporal-config.ts';
import { workflowBundleOf } from '../../lib/temporal/workflow-bundle.ts';
import type { Activities } from '../activities/index.ts';
import { unexpectedFailures } from '../activities/unexpected-failures.ts';
import type { EmailServiceNames } from '../workflows/email-service-names.ts';

export interface EmailServiceWorkerOptions extends Pick<TemporalConfig, 'namespace' | 'dataConverter'> {
  readonly connection: NativeConnection;
  readonly names: EmailServiceNames;
  readonly activities: Activities;
  readonly release: WorkerRelease;
  readonly logger: Logger;
}

const settings = {
  // By default another Worker takes over a killed Worker's Workflows only after ten seconds.
  stickyQueueScheduleToStartTimeout: '2 seconds',
  // Time for an SMTP session that is sending to receive its reply; most need less than a second.
  shutdownGraceTime: '10 seconds',
  // After that, sessions are aborted, which is immediate and stays below a container's usual 30 seconds.
  shutdownForceTime: '20 seconds',
  // Several heartbeats within the 10 seconds after which the server gives an attempt to another Worker.
  maxHeartbeatThrottleInterval: '3 seconds',
  // These Activities mostly wait for remote servers, which costs neither CPU nor much memory.
  maxConcurrentActivityTaskExecutions: 200,
} as const satisfies Partial<WorkerOptions>;

/** With the extension of this file: .ts from sources, .js when compiled. */
export const emailServiceWorkflowsPath = fileURLToPath(
  new URL(`../workflows/index${extname(import.meta.url)}`, import.meta.url),
);

/** One Worker for Workflows and quick Activities, one for Activities that wait for receivers. */
export async function emailServiceWorkers(options: EmailServiceWorkerOptions): Promise<readonly WorkerOptions[]> {
  const { connection, namespace, dataConverter, names, activities, release, logger } = options;
  const { attemptDelivery, postWebhook, checkDomain, startLeftBehind, removeExpired } = activities;
  const shared = {
    ...{ ...settings, ...releaseOptions('sendoff-email-service', release), connection, namespace },
    ...(dataConverter && { dataConverter }),
    interceptors: { activity: [unexpectedFailures(logger)] },
  };
  return [
    {
      ...shared,
      taskQueue: names.taskQueue,
      workflowBundle: await workflowBundleOf(emailServiceWorkflowsPath),
      activities: { checkDomain, startLeftBehind, removeExpired },
    },
    { ...shared, taskQueue: names.deliveriesTaskQueue, activities: { attemptDelivery, postWebhook } },
  ];
}
