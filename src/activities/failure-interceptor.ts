import { activityInfo, cancellationSignal } from '@temporalio/activity';
import { ApplicationFailure, TemporalFailure } from '@temporalio/common';
import type { ActivityInboundCallsInterceptor } from '@temporalio/worker';
import { ProviderError, ProviderUnreachable } from '../email-provider/provider-error.ts';
import { forgetUnconfirmed, isConfirmed, recordUnconfirmed } from './confirmed-answer.ts';
import { withoutStack } from '../lib/without-stack.ts';

/** What must never reach the Event History, whatever library put it into a message; a key without an end mark goes to the end. */
const secrets = /so_live_\w+|whsec_[\w+/=-]+|Bearer\s+\S+|-----BEGIN[\s\S]*?(?:-----END[^-]*-----|$)/g;

/** A provider that asks for hours is asked again before, so that one odd header does not cost a tenant a day. */
const RETRY_AFTER_MAX_MS = 15 * 60_000;

/**
 * KeyedMutex whatever an Activity throws into a failure with a type, a sentence and no secret: the one table of what a
 * retry can mend.
 */
export const failureInterceptor: ActivityInboundCallsInterceptor = {
  async execute(input, next) {
    try {
      const result = await next(input);
      forgetUnconfirmed();
      return result;
    } catch (error) {
      if (error instanceof TemporalFailure) {
        forgetUnconfirmed();
        throw error;
      }
      // An aborted request is the cancellation, not a provider out of reach.
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
      return unavailable(message, retryAfterMs === undefined ? undefined : Math.min(retryAfterMs, RETRY_AFTER_MAX_MS));
    }
    return isNews(error) || isConfirmed(error)
      ? rejected(error)
      : unavailable(`${message}; retried for minutes before it is believed`, recordUnconfirmed(error));
  }
  // A defect: retried, visible under Pending Activities, and mended by the next deployment.
  const failure = ApplicationFailure.create({
    type: error instanceof Error ? error.name : 'UnknownError',
    message: withoutSecrets(error instanceof Error ? error.message : 'something that is no Error was thrown'),
  });
  failure.stack = withoutSecrets(error instanceof Error ? (error.stack ?? '') : '');
  return failure;
}

/** Leads back to the domain wait and ends nothing (F2), so that it need not be repeated. */
const isNews = ({ call, code }: ProviderError): boolean => code === 'domain_not_verified' && call === 'POST /senders';

const unavailable = (message: string, retryDelayMs: number | undefined): ApplicationFailure =>
  withoutStack(
    ApplicationFailure.create({
      type: 'ProviderUnavailable',
      message: withoutSecrets(message),
      ...(retryDelayMs === undefined ? {} : { nextRetryDelay: retryDelayMs }),
    }),
  );

const rejected = ({ httpStatus, code, requestId, message }: ProviderError): ApplicationFailure =>
  withoutStack(
    ApplicationFailure.create({
      type: code === 'domain_not_verified' ? 'DomainNotVerified' : 'ProviderRejected',
      nonRetryable: true,
      message: withoutSecrets(message),
      details: [{ step: activityInfo().activityType, httpStatus, code, requestId: requestId ?? null }],
    }),
  );

export const withoutSecrets = (text: string): string => text.replaceAll(secrets, '[secret]');
