import { MockActivityEnvironment } from '@temporalio/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createStartLeftBehind } from '../../../src/email-service/activities/start-left-behind.ts';
import { UNLIMITED } from '../support/unlimited.ts';
import { openTestStore, type TestStore } from '../support/test-store.ts';

/** After now, by the clock of the database. */
const after = (ms: number) => new Date(Date.now() + ms).toISOString();
const MINUTE_MS = 60_000;

let prepared: TestStore;
/** The Workflow Ids of the work that sweeps have begun. */
let begun: string[];
beforeEach(async () => {
  prepared = await openTestStore();
  begun = [];
});
afterEach(async () => {
  await prepared.end();
});

async function sweep(): Promise<void> {
  const activity = createStartLeftBehind({
    store: prepared.store,
    dispatcher: { dispatch: async () => ({ started: 3, failed: 1 }) },
    beginner: { makesFirstAttempts: true, begin: ({ start }) => void begun.push(start.workflowId) },
    sendingLimits: UNLIMITED,
  });
  await expect(new MockActivityEnvironment().run(activity)).rejects.toMatchObject({
    type: 'OutboxSwept',
    message: 'Started 3 Workflows; 1 could not be started.',
  });
}

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
    .values([row('over', after(-1)), row('valid', after(MINUTE_MS))])
    .execute();
  await sweep();
  expect(
    await prepared.store.selectFrom('idempotency_keys').select(['key', 'sealed_secret']).orderBy('key').execute(),
  ).toEqual([
    { key: 'over', sealed_secret: null },
    { key: 'valid', sealed_secret: 'sealed' },
  ]);
});

test('the sweep begins each check of a domain that is due once', async () => {
  const { store, domainId } = prepared;
  const dueAt = async (time: string | null, more = {}) =>
    store
      .updateTable('domains')
      .set({ next_check_at: time, ...more })
      .execute();

  await sweep();
  await dueAt(after(MINUTE_MS));
  await sweep();
  expect(begun).toEqual([]);
  await dueAt(after(-1));
  await Promise.all([sweep(), sweep()]);
  await sweep();
  expect(begun).toEqual([`verify-domain/${domainId}`]);
  expect(await store.selectFrom('outbox').select(['workflow_id', 'claimed_until']).execute()).toEqual([
    { workflow_id: `verify-domain/${domainId}`, claimed_until: expect.any(Number) },
  ]);
  const { next_check_at: next } = await store.selectFrom('domains').select('next_check_at').executeTakeFirstOrThrow();
  // A check that is not recorded falls due again.
  expect(Date.parse(next ?? '') - Date.now()).toBeGreaterThan(59 * MINUTE_MS);
  await dueAt(after(-1));
  await sweep();
  expect(begun).toHaveLength(2);
  await dueAt(after(-1), { deleted_at: after(0) });
  await sweep();
  expect(begun).toHaveLength(2);
});

test('the sweep begins each scheduled email once, when its time has come, and leaves out what has ended meanwhile', async () => {
  const { store } = prepared;
  const at = (time: string, more = {}) => prepared.email({ scheduled_at: time, held_until: time, ...more });
  const due = await at(after(-1));
  const early = await at(after(MINUTE_MS));
  await at(after(-MINUTE_MS), { status: 'bounced' });
  await Promise.all([sweep(), sweep()]);
  expect(begun).toEqual([`deliver-email/${due}`]);
  await store
    .updateTable('emails')
    .set({ held_until: after(-1) })
    .where('id', '=', early)
    .execute();
  await sweep();
  expect(begun).toEqual([`deliver-email/${due}`, `deliver-email/${early}`]);
  expect(await store.selectFrom('outbox').select('claimed_until').execute()).toEqual(
    Array(2).fill({ claimed_until: expect.any(Number) }),
  );
  for (let n = 0; n < 250; n += 1) await at(after(-MINUTE_MS));
  await sweep();
  expect(begun).toHaveLength(252);
});

test('the time of an email comes by the clock of the database, which all processes share', async () => {
  const time = after(MINUTE_MS);
  await prepared.email({ scheduled_at: time, held_until: time });
  vi.useFakeTimers({ now: Date.now() + 2 * MINUTE_MS, toFake: ['Date'] });
  try {
    await sweep();
  } finally {
    vi.useRealTimers();
  }
  expect(begun).toEqual([]);
});
