import { activityInfo, log } from '@temporalio/activity';
import { ApplicationFailure, type RetryPolicy } from '@temporalio/common';
import type { ActivityInboundCallsInterceptor } from '@temporalio/worker';
import type { DnsRecord } from '../../onboarding/dns-record.ts';
import type { FailedAttempt } from '../../onboarding/onboarding-record.ts';
import type { AccountBlocks } from '../../store/onboarding/sql-account-blocks.ts';
import { blockedCode, reportBlocked } from './account-blocked.ts';
import type { StepInput } from './step-input.ts';
import type { Register } from '../../store/onboarding/register.ts';
import { runOf } from './with-recording.ts';

/** The column is shown in lists. */
const MESSAGE_LENGTH_MAX = 1_500;

/** A check without an answer: the failure that Temporal keeps, and the records that it saw, if it saw any. Both are recorded in one write. */
export class UnansweredCheck extends Error {
  override readonly name = 'UnansweredCheck';
  readonly failure: ApplicationFailure;
  readonly records: readonly DnsRecord[] | undefined;
  constructor(failure: ApplicationFailure, records?: readonly DnsRecord[]) {
    super(failure.message);
    this.failure = failure;
    this.records = records;
  }
}

/**
 * Records what each failed attempt of an onboarding's Activity reports, because failed attempts leave nothing in the Event
 * History. Runs around `failureInterceptor`, whose failures contain no secret.
 */
export const recordAttempts = (
  register: Register,
  blocks: Pick<AccountBlocks, 'note'>,
): ActivityInboundCallsInterceptor => ({
  async execute(input, next) {
    const [step = {}] = input.args as [Partial<StepInput>?];
    const run = runOf(step);
    if (run === undefined) return next(input);
    const note = async (failed: FailedAttempt | null, records?: readonly DnsRecord[], code?: string): Promise<void> => {
      try {
        await register.noteAttempt(run, activityInfo().activityType, failed, records);
        const { provider } = step;
        if (failed !== null && code !== undefined && provider !== undefined)
          await reportBlocked({ provider, code, ...failed }, blocks);
      } catch (error) {
        // The record only shows an attempt: if the database fails, an Activity that needs it fails by itself.
        log.warn('could not record an attempt', { reason: error instanceof Error ? error.name : 'unknown' });
      }
    };
    const startedAt = performance.now();
    try {
      const result = await next(input);
      // A first attempt follows no failure of its own.
      if (activityInfo().attempt > 1) await note(null);
      return result;
    } catch (error) {
      const { failure, records } = error instanceof UnansweredCheck ? error : { failure: error };
      if (failure instanceof ApplicationFailure && failure.nonRetryable !== true) {
        await note(failedAttempt(failure, run.at, performance.now() - startedAt), records, blockedCode(failure));
      }
      throw failure;
    }
  },
});

function failedAttempt({ message, nextRetryDelay }: ApplicationFailure, at: string, tookMs: number): FailedAttempt {
  const { activityType: activity, attempt, retryPolicy } = activityInfo();
  const delayMs = typeof nextRetryDelay === 'number' ? nextRetryDelay : backoffMs(retryPolicy, attempt);
  return {
    activity,
    attempt,
    message: message.slice(0, MESSAGE_LENGTH_MAX),
    at,
    nextAttemptAt: delayMs === undefined ? null : new Date(Date.parse(at) + tookMs + delayMs).toISOString(),
  };
}

/** As the server computes it; undefined after the last attempt. The durations here are milliseconds. */
function backoffMs(policy: RetryPolicy | undefined, attempt: number): number | undefined {
  if (policy?.maximumAttempts !== undefined && attempt >= policy.maximumAttempts) return undefined;
  const initialMs = Number(policy?.initialInterval ?? 1_000);
  const maximumMs = Number(policy?.maximumInterval ?? 100 * initialMs);
  return Math.min(initialMs * (policy?.backoffCoefficient ?? 2) ** (attempt - 1), maximumMs);
}
