import { ApplicationFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { failureInterceptor } from '../../../src/activities/failure-interceptor.ts';
import { recordAttempts, UnansweredCheck } from '../../../src/activities/onboarding/record-failed-attempts.ts';
import { ProviderUnreachable } from '../../../src/email-provider/provider-error.ts';
import { notYet } from '../../../src/lib/temporal/not-yet.ts';
import { newOnboarding } from '../../../src/onboarding/onboarding.ts';
import type { Register, StoredRecord } from '../../../src/store/onboarding/register.ts';
import { createSqlRegister } from '../../../src/store/onboarding/sql-register.ts';
import { spfRecord } from '../../onboarding/dns-operators/records.ts';
import { recordQueries } from '../../support/record-queries.ts';
import { validInput } from '../../support/valid-input.ts';
import { openTestRegister, type TestRegister } from '../../support/test-register.ts';

let opened: TestRegister;
const step = { tenantId: 'acme', attemptId: 'attempt-1' };
const scheduledAt = Date.parse('2026-03-01T12:00:00Z');
const at = new Date(scheduledAt).toISOString();

beforeEach(async () => {
  opened = await openTestRegister();
  const run = { ...step, runId: 'run-1', at, startedAt: at, startedWith: null };
  await opened.register.begin({ ...run, onboarding: newOnboarding(validInput()) });
});
afterEach(() => opened.end());

async function attempt(
  info: object,
  run: () => Promise<void>,
  register: Register = opened.register,
): Promise<StoredRecord['waiting'] | undefined> {
  const environment = new MockActivityEnvironment(
    {
      activityType: 'registerDomain',
      currentAttemptScheduledTimestampMs: scheduledAt,
      workflowExecution: { workflowId: 'onboarding/acme', runId: 'run-1' },
      ...info,
    },
    {
      interceptors: [
        () => ({ inbound: recordAttempts(register, { note: async () => false }) }),
        () => ({ inbound: failureInterceptor }),
      ],
      logger: new DefaultLogger('ERROR', () => undefined),
    },
  );
  await environment
    .run<[typeof step], unknown, (given: typeof step) => Promise<unknown>>(run, step)
    .catch(() => undefined);
  return (await opened.register.get('acme'))?.waiting;
}

test('a failed attempt is recorded without its secrets, and with its next time, until one succeeds', async () => {
  const retryPolicy = { initialInterval: 1_000, maximumInterval: 60_000, backoffCoefficient: 2 };
  const failed = await attempt({ attempt: 4, retryPolicy }, async () => {
    throw new ProviderUnreachable('POST /domains', 'the connection was refused');
  });
  expect(failed).toMatchObject({ activity: 'registerDomain', attempt: 4, at });
  expect(failed?.message).toContain('POST /domains');
  const delayMs = Date.parse(failed?.nextAttemptAt ?? '') - scheduledAt;
  expect(delayMs).toBeGreaterThanOrEqual(8_000);
  expect(delayMs).toBeLessThan(20_000);
  expect(await attempt({ attempt: 5, retryPolicy }, () => Promise.resolve())).toBeNull();
});

test('a poll that chooses its delay is recorded with it', async () => {
  const failed = await attempt({ attempt: 1 }, async () => {
    throw notYet('DomainNotYetVerified', 'Domain is pending.', 3_600_000);
  });
  expect(failed?.message).toBe('Domain is pending.');
  expect(failed?.nextAttemptAt).toMatch(/^2026-03-01T13:0/);
});

test('a failed check is recorded with the records that it saw, in one write', async () => {
  const { database, queries } = recordQueries(opened.database);
  const register = createSqlRegister(database);
  const failed = await attempt(
    { attempt: 1 },
    async () => {
      throw new UnansweredCheck(notYet('DomainNotYetVerified', 'Domain is pending.', 3_600_000), [spfRecord]);
    },
    register,
  );
  expect(failed?.message).toBe('Domain is pending.');
  expect(await opened.register.get('acme')).toMatchObject({ checkedAt: at, onboarding: { records: [spfRecord] } });
  // Queries of PostgreSQL are not recorded.
  expect([...queries].filter((query) => query.startsWith('update')).length).toBeLessThanOrEqual(1);
});

test('the last attempt and a failure that ends the step have no next time', async () => {
  const last = await attempt({ attempt: 2, retryPolicy: { maximumAttempts: 2 } }, async () => {
    throw ApplicationFailure.retryable('gone', 'ProviderUnavailable');
  });
  expect(last).toMatchObject({ nextAttemptAt: null });
  const ended = await attempt({ activityType: 'createSender' }, async () => {
    throw ApplicationFailure.nonRetryable('refused', 'ProviderRejected');
  });
  expect(ended).toMatchObject({ activity: 'registerDomain' });
});
