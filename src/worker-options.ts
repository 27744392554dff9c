import type { ActivityInterceptorsFactory, WorkerOptions } from '@temporalio/worker';
import { failureInterceptor } from './activities/failure-interceptor.ts';
import { tracedActivities } from './lib/tracing/trace-temporal.ts';

/** A Worker of one Task Queue; its Namespace and connection come from the process. */
export type TaskQueueWorker = Omit<WorkerOptions, 'connection' | 'namespace' | 'workflowBundle'> & {
  readonly runsWorkflows: boolean;
};

export const failures: ActivityInterceptorsFactory = () => ({ inbound: failureInterceptor });

export const workerOptions = {
  // After a Worker is killed, its tenants stop for this time; the default is 10 s.
  stickyQueueScheduleToStartTimeout: '2 seconds',
  // An attempt takes at most 20 s, so that attempts under way can finish.
  shutdownGraceTime: '20 seconds',
  shutdownForceTime: '30 seconds',
  // Each is an open request, and every task comes through one; the default is 10 of each kind.
  workflowTaskPollerBehavior: { type: 'simple-maximum', maximum: 2 },
  activityTaskPollerBehavior: { type: 'simple-maximum', maximum: 2 },
  interceptors: { activity: [tracedActivities, failures] },
} as const satisfies Partial<WorkerOptions>;

/** For the Task Queues of onboardings, which may start and wake up by the thousand. */
export const manyPollers = {
  workflowTaskPollerBehavior: { type: 'simple-maximum', maximum: 5 },
  activityTaskPollerBehavior: { type: 'simple-maximum', maximum: 5 },
} as const satisfies Partial<WorkerOptions>;
