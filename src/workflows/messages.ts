import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { HostName } from '../agents-md/code-host.ts';
import type { DomainReport } from '../onboarding/domain-report.ts';
import type { CheckInput } from '../agents-md/check-input.ts';
import type { CheckProgress } from '../agents-md/check-progress.ts';
import type { Extension } from '../onboarding/extension-fault.ts';
import type { ProviderName } from '../onboarding/provider-name.ts';
import type { Onboarding } from '../onboarding/onboarding.ts';

/** A Signal, because the webhook receiver needs no result and the server must accept it while no Worker runs. */
export const providerReportedSignal = defineSignal<[{ eventId: string; type: string }]>('providerReported');

/** An Update, because the caller has just changed the DNS and wants to know what is still missing. */
export const checkNowUpdate = defineUpdate<DomainReport>('checkNow');

/** An Update, because it can be refused. */
export const extendVerificationUpdate = defineUpdate<{ verificationDeadline: string }, [Extension]>(
  'extendVerification',
);

export const onboardingStateQuery = defineQuery<Onboarding>('onboardingState');

export const ONBOARDING_WORKFLOW_TYPE = 'onboardTenant';
export const ONBOARDING_TASK_QUEUE = 'onboarding';
/** Separate, so that the polls of ten thousand waiting tenants cannot delay a step. */
export const pollsTaskQueue = (taskQueue: string): string => `${taskQueue}-polls`;

/** One per provider with an operator's account: its rate limit is that of the account. */
export const providerTaskQueue = (taskQueue: string, provider: ProviderName): string =>
  `${taskQueue}-provider-${provider}`;

export const WATCH_WORKFLOW_TYPE = 'watchDomains';
/** The Schedule, and with the time of each run the Workflow. One per Namespace. */
export const WATCH_SCHEDULE_ID = 'sendoff/watch-domains';
/** Its rate limit is the rate of checks of verified domains. */
export const watchTaskQueue = (taskQueue: string): string => `${taskQueue}-watch`;

/** Type of the Workflow, in both programs. */
export const RETENTION_WORKFLOW_TYPE = 'applyRetention';
/** The Schedule, and with the time of each run the Workflow. One per Namespace. */
export const RETENTION_SCHEDULE_ID = 'sendoff/retention';

/** After the commit of an event of which the backend is notified. */
export const notificationWaitsSignal = defineSignal('notificationWaits');

export const NOTIFICATIONS_WORKFLOW_TYPE = 'notifyBackend';
/** Separate, so that a slow backend cannot delay a step. */
export const notificationsTaskQueue = (taskQueue: string): string => `${taskQueue}-notifications`;

export const SWEEP_WORKFLOW_TYPE = 'sweepRegister';
/** One per Namespace. */
export const SWEEP_WORKFLOW_ID = 'sendoff/sweep';

export const INSTALLATION_WORKFLOW_TYPE = 'sendoffInstallation';
/** One per Namespace. */
export const INSTALLATION_WORKFLOW_ID = 'sendoff/installation';

export const CHECK_WORKFLOW_TYPE = 'checkAgentsMd';
/** To a check that a sweep has started: where its producer is now. If it asks about another place, it ends. */
export const producerIsAtSignal = defineSignal<[CheckInput]>('producerIsAt');
/** To the sweep of a host: when more of its producers fell due, RFC 3339 UTC. */
export const dueAgainSignal = defineSignal<[string]>('dueAgain');
export const PRODUCERS_WORKFLOW_TYPE = 'checkProducers';
/** The Schedule, and with the time of each run the Workflow. One per Namespace. */
export const PRODUCERS_SCHEDULE_ID = 'sendoff/check-producers';
/** Separate, so that thousands of checks cannot delay a tenant. */
export const CHECK_TASK_QUEUE = 'agents-md';
/** One per code host: its rate limit is our request rate to that host. */
export const hostTaskQueue = (taskQueue: string, host: HostName): string => `${taskQueue}-${host}`;

export const checkProgressQuery = defineQuery<CheckProgress>('checkProgress');
