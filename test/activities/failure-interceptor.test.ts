import { CancelledFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { describe, expect, test } from 'vitest';
import { failureInterceptor } from '../../src/activities/failure-interceptor.ts';
import { errorAnswer } from '../../src/email-provider/adapters/sendoff/error-answer.ts';
import { ProviderError, ProviderUnreachable } from '../../src/email-provider/provider-error.ts';

/** Failing is what these Activities are for. */
const logger = new DefaultLogger('ERROR');

/** What reaches the Event History when an Activity throws this. */
async function failureOf(thrown: unknown, info = {}, log = logger): Promise<Record<string, unknown>> {
  const environment = new MockActivityEnvironment(
    { activityType: 'registerDomain', ...info },
    { interceptors: [() => ({ inbound: failureInterceptor })], logger: log },
  );
  const failing = environment.run(async () => {
    throw thrown;
  });
  return failing.then(
    () => ({}),
    (error: unknown) => error as Record<string, unknown>,
  );
}

describe('the failure interceptor', () => {
  describe('a refusal', () => {
    const START = Date.parse('2026-03-01T12:00:00Z');
    const thrown = errorAnswer('POST /domains', {
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

    test('is not retried after three equal answers in five minutes, and has step, status, code and request id', async () => {
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
        message: 'POST /domains: 422 validation_failed; retrying until it has repeated for 5 minutes',
        nextRetryDelay,
      });
    });
  });

  test('does not retry domain_not_verified, which the Workflow handles', async () => {
    const thrown = errorAnswer('POST /senders', { httpStatus: 422, code: 'domain_not_verified' });
    expect(await failureOf(thrown, { activityType: 'createSender' })).toMatchObject({
      type: 'DomainNotVerified',
      nonRetryable: true,
    });
  });

  test('retries a 429 after its Retry-After', async () => {
    const thrown = errorAnswer('POST /domains', { httpStatus: 429, code: 'rate_limited', retryAfterMs: 7_000 });
    expect(await failureOf(thrown)).toMatchObject({
      type: 'ProviderUnavailable',
      nonRetryable: false,
      nextRetryDelay: 7_000,
    });
  });

  test.each([
    ['registerDomain', /Nothing is undone: the step is repeated/, 7_200_000],
    ['deleteDomain', /^The provider refuses the operator's account: DELETE .domains: 429 quota$/, 600_000],
  ])(
    'of an account that is blocked, %s says what follows, and waits no longer than it can',
    async (activityType, message, nextRetryDelay) => {
      const call = activityType === 'deleteDomain' ? 'DELETE /domains' : 'POST /domains';
      const answer = { meaning: 'accountBlocked', mayHaveActed: false, httpStatus: 429, code: 'quota' } as const;
      const failure = await failureOf(new ProviderError(call, { ...answer, retryAfterMs: 7_200_000 }), {
        activityType,
      });
      expect(failure).toMatchObject({ type: 'AccountBlocked', nextRetryDelay });
      expect(failure['message']).toMatch(message);
    },
  );

  test('retries a missing answer by the retry policy of the step', async () => {
    const thrown = new ProviderUnreachable('POST /domains', 'ECONNREFUSED');
    expect(await failureOf(thrown)).toMatchObject({ type: 'ProviderUnavailable', nonRetryable: false, stack: '' });
  });

  test('an unexpected error leaves its name and code, without its message and stack', async () => {
    const error = Object.assign(new TypeError('got so_live_abc123 and hunter2'), { code: 'ERR_INVALID' });
    const failure = await failureOf(error);
    expect(failure).toMatchObject({
      type: 'UnexpectedError',
      nonRetryable: false,
      message: "registerDomain failed unexpectedly with TypeError (ERR_INVALID); the Worker's log has the details",
      stack: '',
    });
    expect(failure['cause']).toBeUndefined();
  });

  test('an unexpected error is logged with its stack, without secrets', async () => {
    const logged: string[] = [];
    const log = new DefaultLogger('ERROR', (entry) => logged.push(JSON.stringify(entry.meta)));
    await failureOf(new TypeError('got so_live_abc123'), {}, log);
    expect(logged.join()).toMatch(/TypeError: got \[secret\].*failure-interceptor\.test\.ts/);
    expect(logged.join()).not.toContain('so_live');
  });

  test('a thrown value that is not an Error is an unexpected error', async () => {
    expect(await failureOf('so_live_abc')).toMatchObject({
      type: 'UnexpectedError',
      message: "registerDomain failed unexpectedly with a value that is not an Error; the Worker's log has the details",
    });
  });

  test('reports a request aborted by a cancellation as the cancellation', async () => {
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
