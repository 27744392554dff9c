import { CancelledFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { describe, expect, test } from 'vitest';
import { failureInterceptor } from '../../src/activities/failure-interceptor.ts';
import { ProviderError, ProviderUnreachable } from '../../src/email-provider/provider-error.ts';

/** Failing is what these Activities are for. */
const logger = new DefaultLogger('ERROR');

/** What reaches the Event History when an Activity throws this. */
async function failureOf(thrown: unknown, info = {}): Promise<Record<string, unknown>> {
  const environment = new MockActivityEnvironment(
    { activityType: 'registerDomain', ...info },
    { interceptors: [() => ({ inbound: failureInterceptor })], logger },
  );
  const failing = environment.run(async () => {
    throw thrown;
  });
  return failing.then(
    () => ({}),
    (error: unknown) => error as Record<string, unknown>,
  );
}

describe('what an Activity throws becomes a failure', () => {
  describe('a refusal', () => {
    const START = Date.parse('2026-03-01T12:00:00Z');
    const thrown = new ProviderError('POST /domains', {
      httpStatus: 422,
      code: 'validation_failed',
      requestId: 'req_1',
    });
    const afterMinutes = (minutes: number, heartbeatDetails: object | undefined, details: object = {}) =>
      failureOf(thrown, {
        currentAttemptScheduledTimestampMs: START + minutes * 60_000,
        heartbeatDetails: heartbeatDetails && { ...heartbeatDetails, ...details },
      });
    const repeated = { answer: 'POST /domains 422 validation_failed', since: START, times: 2 };

    test('that three answers over five minutes repeat is not retried, with step, status, code and request id', async () => {
      expect(await afterMinutes(5, repeated)).toMatchObject({
        type: 'ProviderRejected',
        nonRetryable: true,
        message: 'POST /domains: 422 validation_failed',
        details: [{ step: 'registerDomain', httpStatus: 422, code: 'validation_failed', requestId: 'req_1' }],
        stack: '',
      });
    });

    test.each([
      ['the first', 5, undefined, {}, 2_000],
      ['the second', 5, repeated, { times: 1 }, 4_000],
      ['one within five minutes', 4.9, repeated, { times: 20 }, 60_000],
      ['the first after another one', 5, repeated, { answer: 'POST /domains 409 already_exists', times: 9 }, 2_000],
    ])('is retried when it is %s', async (_name, minutes, heartbeatDetails, details, nextRetryDelay) => {
      expect(await afterMinutes(minutes, heartbeatDetails, details)).toMatchObject({
        type: 'ProviderUnavailable',
        nonRetryable: false,
        message: 'POST /domains: 422 validation_failed; retried for minutes before it is believed',
        nextRetryDelay,
      });
    });
  });

  test('domain_not_verified: news for the Workflow, not an error to retry', async () => {
    const thrown = new ProviderError('POST /senders', { httpStatus: 422, code: 'domain_not_verified' });
    expect(await failureOf(thrown)).toMatchObject({ type: 'DomainNotVerified', nonRetryable: true });
  });

  test('429 with Retry-After: retried when the provider says', async () => {
    const thrown = new ProviderError('POST /domains', { httpStatus: 429, code: 'rate_limited', retryAfterMs: 7_000 });
    expect(await failureOf(thrown)).toMatchObject({
      type: 'ProviderUnavailable',
      nonRetryable: false,
      nextRetryDelay: 7_000,
    });
  });

  test('no answer: retried by the policy of the step', async () => {
    const thrown = new ProviderUnreachable('POST /domains', 'ECONNREFUSED');
    expect(await failureOf(thrown)).toMatchObject({ type: 'ProviderUnavailable', nonRetryable: false, stack: '' });
  });

  test('a defect is retried, keeps its stack, and loses every secret', async () => {
    const secrets = [
      'so_live_abc123',
      'whsec_MDEy+/ab==',
      'Bearer abc.def',
      '-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----',
    ];
    const failure = await failureOf(new TypeError(`got ${secrets.join(' and ')} here`));
    expect(failure).toMatchObject({
      type: 'TypeError',
      nonRetryable: false,
      message: 'got [secret] and [secret] and [secret] and [secret] here',
    });
    expect(failure['stack']).toContain('failure-interceptor.test.ts');
    for (const secret of secrets) expect(JSON.stringify(failure) + String(failure['stack'])).not.toContain(secret);
    expect(failure['cause']).toBeUndefined();
  });

  test('something that is no Error is a failure too', async () => {
    expect(await failureOf('so_live_abc')).toMatchObject({
      type: 'UnknownError',
      message: 'something that is no Error was thrown',
    });
  });

  test('a request aborted by a cancellation is the cancellation', async () => {
    const environment = new MockActivityEnvironment(
      {},
      { interceptors: [() => ({ inbound: failureInterceptor })], logger },
    );
    const running = environment.run(async () => {
      environment.cancel();
      throw new ProviderUnreachable('GET /domains/dom_1', 'aborted');
    });
    await expect(running).rejects.toBeInstanceOf(CancelledFailure);
  });
});
