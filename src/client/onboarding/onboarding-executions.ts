import { type Client, type WorkflowExecutionDescription, WorkflowFailedError } from '@temporalio/client';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { type FailureContext, isFailureType, type OnboardingFailure } from '../../onboarding/failures.ts';
import type { OnboardTenantInput } from '../../onboarding/input.ts';
import { newOnboarding } from '../../onboarding/onboarding.ts';
import { onboardingWorkflowId } from '../../onboarding/onboarding-ids.ts';
import {
  type FailedAttempt,
  newRecord,
  type OnboardingOutcome,
  type OnboardingRecord,
  type OnboardTenantResult,
} from '../../onboarding/onboarding-record.ts';
import type { Register, StoredRecord } from '../../store/onboarding/register.ts';
import { onboardingStateQuery } from '../../workflows/messages.ts';
import { describeExecution, queryOrNull } from '../temporal-calls.ts';
import { OnboardingUnavailable } from './onboarding-unavailable.ts';
import { waitingFor } from './waiting-for.ts';

export type OnboardingExecutions = ReturnType<typeof createOnboardingExecutions>;

/** A request that only shows an onboarding ends within two seconds while Temporal does not answer. */
const RECORD_TIMEOUT_MS = 1_500;

/** Onboardings as Temporal knows them. */
export function createOnboardingExecutions(client: Client, register: Register) {
  async function recordOf(tenantId: string, description: WorkflowExecutionDescription): Promise<StoredRecord> {
    const handle = client.workflow.getHandle(description.workflowId, description.runId);
    const outcome = outcomeOf(description);
    const startedWith = memoInputOf(description);
    const state = await queryOrNull(client, () => handle.query(onboardingStateQuery));
    const onboarding = state ?? (startedWith && newOnboarding(startedWith));
    if (onboarding === null) {
      throw new OnboardingUnavailable(
        `No Worker has begun the onboarding of ${tenantId}, which another program started.`,
      );
    }
    const startedAt = description.startTime.toISOString();
    return {
      ...newRecord,
      tenantId,
      attemptId: attemptIdOf(description),
      startedAt,
      startedWith,
      runId: description.runId,
      onboarding,
      ...(outcome === 'running' ? { outcome, result: null, failure: null } : await executionEnd(client, description)),
      stageSince: onboarding.stages.at(-1)?.at ?? startedAt,
      endedAt: description.closeTime?.toISOString() ?? null,
      waiting: failedAttemptOf(description),
      updatedAt: new Date().toISOString(),
    };
  }

  return {
    /**
     * A record of the latest execution, for an onboarding that the register does not have: it began this moment. Undefined
     * without an execution.
     */
    async record(tenantId: string): Promise<StoredRecord | undefined> {
      const description = await describeExecution(client, onboardingWorkflowId(tenantId), {
        timeoutMs: RECORD_TIMEOUT_MS,
      });
      if (description === undefined) return undefined;
      const record = await recordOf(tenantId, description);
      if (record.outcome === 'running') return record;
      // Temporal deletes the execution after the retention.
      await register.end({ ...record, at: record.endedAt ?? record.updatedAt });
      return register.get(tenantId);
    },
  };
}

export const outcomeOf = ({ status }: Pick<WorkflowExecutionDescription, 'status'>): OnboardingOutcome =>
  outcomes[status.name] ?? 'running';

const outcomes: Partial<Record<WorkflowExecutionDescription['status']['name'], OnboardingOutcome>> = {
  COMPLETED: 'onboarded',
  FAILED: 'failed',
  CANCELLED: 'cancelled',
  TERMINATED: 'terminated',
  TIMED_OUT: 'terminated',
};

/** How an execution ended that is not running. */
export async function executionEnd(
  client: Client,
  description: WorkflowExecutionDescription,
): Promise<Pick<OnboardingRecord, 'outcome' | 'result' | 'failure'>> {
  const outcome = outcomeOf(description);
  const { workflowId, runId } = description;
  try {
    const result = (await client.workflow.getHandle(workflowId, runId).result()) as OnboardTenantResult;
    return { outcome, result, failure: null };
  } catch (error) {
    if (!(error instanceof WorkflowFailedError)) throw error;
    const failure = onboardingFailure(error) ?? null;
    // A run that a Reset began during the undo of an earlier run fails without recording an end.
    return { outcome: outcome === 'failed' && failure === null ? 'terminated' : outcome, result: null, failure };
  }
}

/** The Activity that Temporal retries, with the message of its last attempt. */
function failedAttemptOf(description: WorkflowExecutionDescription): FailedAttempt | null {
  for (const { activity, attempt, message, nextAttemptAt } of waitingFor(description)) {
    if (message !== null)
      return { activity, attempt: attempt - 1, message, at: new Date().toISOString(), nextAttemptAt };
  }
  return null;
}

/** The first Run Id of the chain: a reset keeps it. */
export function attemptIdOf({ raw, runId }: WorkflowExecutionDescription): string {
  const firstRunId = raw.workflowExecutionInfo?.firstRunId ?? '';
  return firstRunId === '' ? runId : firstRunId;
}

/** The input that the HTTP API started it with; null if another program did. */
export const memoInputOf = ({ memo }: WorkflowExecutionDescription): OnboardTenantInput | null =>
  (memo?.['input'] as OnboardTenantInput | undefined) ?? null;

/** The typed failure in an error of `handle.result()`; undefined for a cancelled or terminated onboarding. */
export function onboardingFailure(error: unknown): OnboardingFailure | undefined {
  if (!(error instanceof WorkflowFailedError) || error.cause instanceof CancelledFailure) return undefined;
  const { cause } = error;
  if (!(cause instanceof ApplicationFailure) || !isFailureType(cause.type)) return undefined;
  const details = cause.details?.[0] as FailureContext;
  return { type: cause.type, message: cause.message, details } as OnboardingFailure;
}
