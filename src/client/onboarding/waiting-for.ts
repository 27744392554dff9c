import type { WorkflowExecutionDescription } from '@temporalio/client';

/** An Activity that Temporal runs now or will retry, with the message of its last attempt. */
export interface PendingActivity {
  activity: string;
  attempt: number;
  message: string | null;
  /** ISO 8601, UTC. */
  nextAttemptAt: string | null;
}

export function waitingFor({ raw }: Pick<WorkflowExecutionDescription, 'raw'>): PendingActivity[] {
  return (raw.pendingActivities ?? []).map(({ activityType, attempt, lastFailure, scheduledTime }) => ({
    activity: activityType?.name ?? 'unknown',
    attempt: attempt ?? 1,
    message: lastFailure?.message ?? null,
    nextAttemptAt:
      scheduledTime?.seconds == null ? null : new Date(Number(scheduledTime.seconds) * 1_000).toISOString(),
  }));
}
