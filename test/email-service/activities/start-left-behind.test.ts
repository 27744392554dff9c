import { MockActivityEnvironment } from '@temporalio/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createStartLeftBehind } from '../../../src/email-service/activities/start-left-behind.ts';
import { openTestStore, type TestStore } from '../support/test-store.ts';

const NOW = new Date('2026-11-21T12:00:00Z');

let prepared: TestStore;
beforeEach(async () => {
  prepared = await openTestStore();
});
afterEach(async () => {
  await prepared.end();
});

test('the sweep erases only expired one-time secrets', async () => {
  const row = (key: string, expiry: string) => ({
    owner: prepared.accountId,
    key,
    fingerprint: 'f',
    response_status: 201,
    response_body: '{}',
    sealed_secret: 'sealed',
    secret_expires_at: expiry,
    created_at: '2026-11-20T12:00:00.000Z',
  });
  await prepared.store
    .insertInto('idempotency_keys')
    .values([row('over', '2026-11-21T12:00:00.000Z'), row('valid', '2026-11-21T12:00:00.001Z')])
    .execute();
  const dispatcher = {
    dispatch: async () => ({ started: 3, failed: 1 }),
    dispatchSoon: () => undefined,
    stop: async () => undefined,
  };
  const sweep = createStartLeftBehind({ store: prepared.store, dispatcher, now: () => NOW });
  await expect(new MockActivityEnvironment().run(sweep)).rejects.toMatchObject({
    type: 'OutboxSwept',
    message: 'Started 3 Workflows; 1 could not be started.',
  });
  expect(
    await prepared.store.selectFrom('idempotency_keys').select(['key', 'sealed_secret']).orderBy('key').execute(),
  ).toEqual([
    { key: 'over', sealed_secret: null },
    { key: 'valid', sealed_secret: 'sealed' },
  ]);
});
