import type { WorkerInterceptors } from '@temporalio/worker';
import type { ActivityDependencies } from './activities/activity-dependencies.ts';
import { createActivities } from './activities/index.ts';
import { recordAttempts } from './activities/onboarding/record-failed-attempts.ts';
import { tracedActivities } from './lib/tracing/trace-temporal.ts';
import { webhookPath } from './onboarding/onboarding-ids.ts';
import type { ProviderFacts } from './email-provider/operator-account.ts';
import type { OrchestratorParts } from './orchestrator-parts.ts';
import { type AccountBlocks, createSqlAccountBlocks } from './store/onboarding/sql-account-blocks.ts';
import type { Register } from './store/onboarding/register.ts';
import type { ProviderName } from './onboarding/provider-name.ts';
import { ONBOARDING_TASK_QUEUE, pollsTaskQueue, providerTaskQueue } from './workflows/messages.ts';
import { failures, manyPollers, type TaskQueueWorker } from './worker-options.ts';

/** Maximum polls per second sent to the provider, across all tenants and Workers. */
const POLLS_PER_SECOND_MAX = 50;
/** Within this time a Worker sends all requests of the steps that it has begun: half of what an attempt may take. */
const BACKLOG_SECONDS = 10;
/** A slow answer must not hold up all others. */
const STEPS_AT_ONCE_MIN = 2;

/**
 * At an operator's account. The Task Queue bounds the rate of all Workers together, on the average. Each Worker keeps to the account's rate by
 * itself, and begins no more steps than it can serve: else the requests of hundreds that start at once would wait until their attempts time out.
 */
const paceOf = ({ requestsPerSecond, requestsOfStep: { most, average } }: ProviderFacts) => ({
  maxTaskQueueActivitiesPerSecond: requestsPerSecond / average,
  maxConcurrentActivityTaskExecutions: Math.max(
    STEPS_AT_ONCE_MIN,
    Math.floor((BACKLOG_SECONDS * requestsPerSecond) / most),
  ),
});

export const onboardingInterceptors = (
  register: Register,
  blocks: Pick<AccountBlocks, 'note'>,
): WorkerInterceptors => ({
  activity: [tracedActivities, () => ({ inbound: recordAttempts(register, blocks) }), failures],
});

export function onboardingWorkers(
  { config: { publicUrl }, register, database }: OrchestratorParts,
  dependencies: Omit<ActivityDependencies, 'webhookUrl'>,
): TaskQueueWorker[] {
  const activities = createActivities({
    ...dependencies,
    webhookUrl: publicUrl === undefined ? undefined : (tenantId) => publicUrl + webhookPath(tenantId),
  });
  const onboarding = {
    ...manyPollers,
    activities,
    interceptors: onboardingInterceptors(register, createSqlAccountBlocks(database)),
  };
  return [
    { ...onboarding, taskQueue: ONBOARDING_TASK_QUEUE, runsWorkflows: true },
    // Ten thousand waiting tenants must neither delay a step nor flood the provider after an outage.
    {
      ...onboarding,
      taskQueue: pollsTaskQueue(ONBOARDING_TASK_QUEUE),
      runsWorkflows: false,
      maxTaskQueueActivitiesPerSecond: POLLS_PER_SECOND_MAX,
    },
    ...Object.entries(dependencies.operatorAccounts.configured).map(([provider, { facts }]) => ({
      ...onboarding,
      taskQueue: providerTaskQueue(ONBOARDING_TASK_QUEUE, provider as ProviderName),
      runsWorkflows: false,
      ...paceOf(facts),
    })),
  ];
}
