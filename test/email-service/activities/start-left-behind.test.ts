import { MockActivityEnvironment } from '@temporalio/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createStartLeftBehind } from '../../../src/email-service/activities/start-left-behind.ts';
import type { FirstAttempt } from '../../../src/email-service/store/outbox.ts';
import { idleBackground } from '../support/idle-background.ts';
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
  const sweep = createStartLeftBehind({ store: prepared.store, dispatcher, beginner: idleBackground, now: () => NOW });
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

test('the sweep begins each check of a domain that is due once', async () => {
  const { store, domainId } = prepared;
  const begun: string[] = [];
  const beginner = { makesFirstAttempts: true, begin: ({ start }: FirstAttempt) => void begun.push(start.workflowId) };
  const dispatcher = { dispatch: async () => ({ started: 0, failed: 0 }) };
  const sweep = async (now: Date) => {
    const activity = createStartLeftBehind({ store, dispatcher, beginner, now: () => now });
    await expect(new MockActivityEnvironment().run(activity)).rejects.toMatchObject({ type: 'OutboxSwept' });
  };
  const dueAt = async (time: string | null, more = {}) =>
    store
      .updateTable('domains')
      .set({ next_check_at: time, ...more })
      .execute();
  const inAnHour = new Date(NOW.getTime() + 3_600_000);

  await sweep(NOW);
  await dueAt('2026-11-21T12:00:00.001Z');
  await sweep(NOW);
  expect(begun).toEqual([]);
  await dueAt('2026-11-21T12:00:00.000Z');
  await Promise.all([sweep(NOW), sweep(NOW)]);
  await sweep(NOW);
  expect(begun).toEqual([`verify-domain/${domainId}`]);
  expect(await store.selectFrom('outbox').select(['workflow_id', 'claimed_until']).execute()).toEqual([
    { workflow_id: `verify-domain/${domainId}`, claimed_until: expect.any(Number) },
  ]);
  // A check that was not recorded.
  await sweep(inAnHour);
  expect(begun).toHaveLength(2);
  await dueAt('2026-11-21T12:00:00.000Z', { deleted_at: NOW.toISOString() });
  await sweep(inAnHour);
  expect(begun).toHaveLength(2);
});

test('the sweep begins each scheduled email once, when its time has come, and leaves out what has ended meanwhile', async () => {
  const { store } = prepared;
  const begun: string[] = [];
  const beginner = { makesFirstAttempts: true, begin: ({ start }: FirstAttempt) => void begun.push(start.workflowId) };
  const dispatcher = { dispatch: async () => ({ started: 0, failed: 0 }) };
  const sweep = async (now: Date) => {
    const activity = createStartLeftBehind({ store, dispatcher, beginner, now: () => now });
    await expect(new MockActivityEnvironment().run(activity)).rejects.toMatchObject({ type: 'OutboxSwept' });
  };
  const at = (time: string, more = {}) => prepared.email({ scheduled_at: time, held_until: time, ...more });
  const due = await at('2026-11-21T12:00:00.000Z');
  const early = await at('2026-11-21T12:00:00.001Z');
  await at('2026-11-21T11:00:00.000Z', { status: 'bounced' });
  await Promise.all([sweep(NOW), sweep(NOW)]);
  expect(begun).toEqual([`deliver-email/${due}`]);
  await sweep(new Date(NOW.getTime() + 1));
  expect(begun).toEqual([`deliver-email/${due}`, `deliver-email/${early}`]);
  expect(await store.selectFrom('outbox').select('claimed_until').execute()).toEqual(
    Array(2).fill({ claimed_until: expect.any(Number) }),
  );
  for (let n = 0; n < 250; n += 1) await at('2026-11-21T11:00:00.000Z');
  await sweep(NOW);
  expect(begun).toHaveLength(252);
});
