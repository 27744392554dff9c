import { activityInfo, cancellationSignal, log } from '@temporalio/activity';
import { type ApplicationFailure, TemporalFailure } from '@temporalio/common';
import type { ActivityInboundCallsInterceptor } from '@temporalio/worker';
import { ProviderError, ProviderUnreachable } from '../email-provider/provider-error.ts';
import { forgetUnconfirmed, isConfirmed, recordUnconfirmed } from './confirmed-answer.ts';
import { UnansweredCheck } from './onboarding/record-failed-attempts.ts';
import { ACCOUNT_BLOCKED } from './onboarding/account-blocked.ts';
import { withJitter } from '../lib/timing/with-jitter.ts';
import type { FailureType } from '../onboarding/failures.ts';
import { rowOf, undoableRows } from '../onboarding/steps.ts';
import { withoutSecrets } from '../lib/without-secrets.ts';
import { expectedFailure } from '../lib/expected-failure.ts';
import { unexpectedFailure } from '../lib/temporal/unexpected-failure.ts';

/** Upper bound for Retry-After: one wrong header must not delay a tenant for hours. */
const RETRY_AFTER_MAX_MS = 15 * 60_000;
/** A longer one is no pause, such as a time since 1970. */
const RETRY_AFTER_MEANT_MAX_MS = 7 * 24 * 3_600_000;
/** That of a daily quota. */
const BLOCKED_RETRY_AFTER_MAX_MS = 24 * 3_600_000;
/** The operator may act at any time. */
const BLOCKED_PAUSE_MS = 10 * 60_000;

/**
 * Turns every error of an Activity into a failure with a type, a sentence and no secret, and decides whether a retry can
 * help.
 */
export const failureInterceptor: ActivityInboundCallsInterceptor = {
  async execute(input, next) {
    try {
      const result = await next(input);
      forgetUnconfirmed();
      return result;
    } catch (error) {
      if (error instanceof TemporalFailure || error instanceof UnansweredCheck) {
        forgetUnconfirmed();
        throw error;
      }
      // An aborted request is a cancellation, not an unavailable provider.
      if (cancellationSignal().aborted) throw cancellationSignal().reason;
      throw toFailure(error);
    }
  },
};

function toFailure(error: unknown): ApplicationFailure {
  if (error instanceof ProviderUnreachable) return unavailable(error.message, undefined);
  if (error instanceof ProviderError) {
    const { retryAfterMs, meaning, message } = error;
    if (meaning === 'transient') {
      // A time in the past, or 0, would repeat the call without a pause: the retry policy decides.
      const isMeant = retryAfterMs !== undefined && retryAfterMs > 0 && retryAfterMs <= RETRY_AFTER_MEANT_MAX_MS;
      return unavailable(message, isMeant ? Math.min(retryAfterMs, RETRY_AFTER_MAX_MS) : undefined);
    }
    if (meaning === 'accountBlocked') return blocked(error);
    return endsNothing(error) || isConfirmed(error)
      ? rejected(error)
      : unavailable(`${message}; retrying until it has repeated for 5 minutes`, recordUnconfirmed(error));
  }
  log.error('unexpected error', {
    err: withoutSecrets(error instanceof Error ? (error.stack ?? error.message) : String(error)),
  });
  return unexpectedFailure(error, activityInfo().activityType);
}

/** F2 leads back to the domain wait and ends nothing, so it needs no confirmation. */
const endsNothing = ({ meaning }: ProviderError): boolean =>
  meaning === 'notVerified' && activityInfo().activityType === rowOf('createSender').step;

const unavailable = (message: string, retryDelayMs: number | undefined): ApplicationFailure =>
  expectedFailure({
    type: 'ProviderUnavailable' satisfies FailureType,
    message: withoutSecrets(message),
    ...(retryDelayMs === undefined ? {} : { nextRetryDelay: retryDelayMs }),
  });

/** An undo has hours, not weeks (`undoOptions`). */
const isUndo = (): boolean => undoableRows.some(({ undoneBy }) => undoneBy === activityInfo().activityType);

/** Of no tenant's making. `recordAttempts` reports it once for the account. */
const blocked = ({ code, message, retryAfterMs }: ProviderError): ApplicationFailure =>
  expectedFailure({
    type: ACCOUNT_BLOCKED,
    message: `The provider refuses the operator's account: ${withoutSecrets(message)}${isUndo() ? '' : '. Nothing is undone: the step is repeated until the account is served again'}`,
    nextRetryDelay:
      retryAfterMs !== undefined && retryAfterMs > 0
        ? Math.min(retryAfterMs, isUndo() ? BLOCKED_PAUSE_MS : BLOCKED_RETRY_AFTER_MAX_MS)
        : withJitter(BLOCKED_PAUSE_MS, Math.random()),
    details: [code],
  });

const rejected = ({ httpStatus, code, meaning, requestId, message }: ProviderError): ApplicationFailure =>
  expectedFailure({
    type: (meaning === 'notVerified' ? 'DomainNotVerified' : 'ProviderRejected') satisfies FailureType,
    nonRetryable: true,
    message: withoutSecrets(message),
    details: [{ step: activityInfo().activityType, httpStatus, code, requestId: requestId ?? null }],
  });
