import type { NativeConnection, WorkerOptions } from '@temporalio/worker';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import type { Activities } from '../activities/index.ts';
import { unexpectedFailures } from '../activities/unexpected-failures.ts';
import type { EmailServiceNames } from '../workflows/email-service-names.ts';

export interface EmailServiceWorkerOptions {
  readonly connection: NativeConnection;
  readonly namespace: string;
  readonly names: Pick<EmailServiceNames, 'taskQueue' | 'deliveriesTaskQueue'>;
  readonly activities: Activities;
  readonly logger: Logger;
}

const settings = {
  // The default of ten seconds is how long a killed Worker's Workflows would wait before another one takes them over.
  stickyQueueScheduleToStartTimeout: '2 seconds',
  // An SMTP session that has begun to send gets this long to hear the answer; most need less than a second.
  shutdownGraceTime: '10 seconds',
  // Then sessions are called off, which takes no time; a container's usual 30 seconds are not reached.
  shutdownForceTime: '20 seconds',
  // Several within the ten seconds after which the server gives an attempt to another Worker.
  maxHeartbeatThrottleInterval: '3 seconds',
  // Activities here wait for other people's servers, which costs neither CPU nor much memory.
  maxConcurrentActivityTaskExecutions: 200,
} as const satisfies Partial<WorkerOptions>;

/** Compiled or not, the Workflows lie beside this file. */
const workflowsPath = fileURLToPath(new URL(`../workflows/index${extname(import.meta.url)}`, import.meta.url));

/** One Worker for the Workflows and what they need soon, one for what waits for receivers. */
export function emailServiceWorkers(options: EmailServiceWorkerOptions): readonly WorkerOptions[] {
  const { connection, namespace, names, activities, logger } = options;
  const { attemptDelivery, postWebhook, checkDomain, startLeftBehind } = activities;
  const shared = { ...settings, connection, namespace, interceptors: { activity: [unexpectedFailures(logger)] } };
  return [
    { ...shared, taskQueue: names.taskQueue, workflowsPath, activities: { checkDomain, startLeftBehind } },
    { ...shared, taskQueue: names.deliveriesTaskQueue, activities: { attemptDelivery, postWebhook } },
  ];
}
