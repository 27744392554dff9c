import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { DomainReport } from '../activities/domain-look.ts';
import type { Onboarding } from '../onboarding/onboarding.ts';

/** A Signal, because the receiver of a webhook has nothing to wait for, and it must be durable with no Worker up. */
export const providerReportedSignal = defineSignal<[{ eventId: string; type: string }]>('providerReported');

/** An Update, because whoever has just changed the DNS wants to know what is still missing. */
export const checkNowUpdate = defineUpdate<DomainReport>('checkNow');

/** An Update, because it can be refused. Answers with the new deadline. */
export const extendVerificationUpdate = defineUpdate<
  { verificationDeadline: string },
  [{ hours: number; by: string; reason: string }]
>('extendVerification');

export const onboardingStateQuery = defineQuery<Onboarding>('onboardingState');

export const ONBOARDING_WORKFLOW_TYPE = 'onboardTenant';
/** Workflows and steps. */
export const ONBOARDING_TASK_QUEUE = 'onboarding';
/** Polls wait on a Task Queue of their own, so that ten thousand waiting tenants cannot delay a step. */
export const pollsTaskQueue = (taskQueue: string): string => `${taskQueue}-polls`;
