import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { HostName } from '../agents-md/code-host.ts';
import type { DomainReport } from '../activities/domain-check.ts';
import type { BatchEntry, BatchProgress } from '../agents-md/batch.ts';
import type { GroupFindings } from '../agents-md/batch-parts.ts';
import type { CheckProgress } from '../agents-md/check-progress.ts';
import type { Extension } from '../onboarding/extension-fault.ts';
import type { Onboarding } from '../onboarding/onboarding.ts';

/** A Signal, because the receiver of a webhook has nothing to wait for, and it must be durable with no Worker up. */
export const providerReportedSignal = defineSignal<[{ eventId: string; type: string }]>('providerReported');

/** An Update, because whoever has just changed the DNS wants to know what is still missing. */
export const checkNowUpdate = defineUpdate<DomainReport>('checkNow');

/** An Update, because it can be refused. Answers with the new deadline. */
export const extendVerificationUpdate = defineUpdate<{ verificationDeadline: string }, [Extension]>(
  'extendVerification',
);

export const onboardingStateQuery = defineQuery<Onboarding>('onboardingState');

export const ONBOARDING_WORKFLOW_TYPE = 'onboardTenant';
/** Workflows and steps. */
export const ONBOARDING_TASK_QUEUE = 'onboarding';
/** Polls wait on a Task Queue of their own, so that ten thousand waiting tenants cannot delay a step. */
export const pollsTaskQueue = (taskQueue: string): string => `${taskQueue}-polls`;

export const INSTALLATION_WORKFLOW_TYPE = 'sendoffInstallation';
/** One for the Namespace. */
export const INSTALLATION_WORKFLOW_ID = 'sendoff/installation';

export const CHECK_WORKFLOW_TYPE = 'checkAgentsMd';
export const BATCH_WORKFLOW_TYPE = 'checkAgentsMdBatch';
/** Thousands of checks must not delay a tenant. */
export const CHECK_TASK_QUEUE = 'agents-md';
/** Each code host has a Task Queue of its own, whose rate is what we ask of that host. */
export const hostTaskQueue = (taskQueue: string, host: HostName): string => `${taskQueue}-${host}`;

export const checkProgressQuery = defineQuery<CheckProgress>('checkProgress');

/** @param after how many entries the asker has already */
export const batchProgressQuery = defineQuery<BatchProgress, [{ after: number }]>('batchProgress');

/** What a part of a batch tells it. */
export interface BatchPartReport {
  readonly part: number;
  /** Finished since the last report. */
  readonly entries: readonly BatchEntry[];
  /** Checks that are, or may yet be, under way at once. */
  readonly underWay: number;
  /** Set once the next part of the same organization may begin, with this. */
  readonly findings?: GroupFindings;
}

export const batchPartSignal = defineSignal<[BatchPartReport]>('batchPart');
