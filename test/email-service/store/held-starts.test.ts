import { afterEach, beforeEach, expect, test } from 'vitest';
import { pauseAccount } from '../../../src/email-service/store/account-pauses.ts';
import { beginAttempt } from '../../../src/email-service/store/delivery-attempts.ts';
import {
  addToOutbox,
  claimStarts,
  deliverEmailStart,
  holdPaused,
  outboxSize,
} from '../../../src/email-service/store/outbox.ts';
import { addSuppressions } from '../../../src/email-service/store/suppressions.ts';
import { inTransaction } from '../../../src/lib/sql/transactions.ts';
import { openTestStore, type TestStore } from '../support/test-store.ts';

const MINUTES_MS = 60_000;

let prepared: TestStore;
beforeEach(async () => {
  prepared = await openTestStore();
});
afterEach(() => prepared.end());

const workflowIdOf = (emailId: string): string => deliverEmailStart(emailId).workflowId;

test('only what waits for nothing but the resume of its account is held, and is not old meanwhile', async () => {
  const { store, accountId, marks } = prepared;
  const why = { cause: 'manual', reason: 'asked', email_id: null, now: new Date() } as const;
  await addSuppressions(store, accountId, ['gone@inbox.test'], why, marks);
  const recipient = 'Gone@inbox.test';
  const emails = {
    waits: await prepared.email(),
    overrides: await prepared.email({ recipient, suppression_override: 'asked' }),
    suppressed: await prepared.email({ recipient }),
    expires: await prepared.email({ expires_at: new Date(Date.now() + 3 * MINUTES_MS).toISOString() }),
    attempted: await prepared.email(),
    ended: await prepared.email({ status: 'delivered' }),
  };
  await beginAttempt(store, { emailId: emails.attempted, holder: 'other', now: new Date() });
  const ids = Object.values(emails).map(workflowIdOf);
  const longAgo = new Date(Date.now() - 60 * MINUTES_MS);
  await inTransaction(store, (transaction) =>
    addToOutbox(transaction, Object.values(emails).map(deliverEmailStart), longAgo, { claimed: true }),
  );
  expect(await holdPaused(store, [...ids, 'verify-domain/dom_1'])).toEqual(new Set());

  await pauseAccount(store, { accountId, by: 'default', reason: 'spam', now: new Date(), claimed: false });
  const held = [emails.waits, emails.overrides].map(workflowIdOf);
  expect(await holdPaused(store, ids)).toEqual(new Set(held));
  await store.updateTable('outbox').set({ claimed_until: null }).where('workflow_id', 'not in', held).execute();
  const claimed = (await claimStarts(store, 10)).map(({ workflow_id: id }) => id);
  expect(claimed.sort()).toEqual(ids.filter((id) => !held.includes(id)).sort());
  await store.deleteFrom('outbox').where('workflow_id', 'not in', held).execute();
  expect(await outboxSize(store)).toMatchObject({ rows: 2 });
  expect(Date.parse((await outboxSize(store)).oldestAt ?? '')).toBeGreaterThan(Date.now() - 1_000);
});

test('an account that has erased someone has nothing held: its list may name a recipient by a mark', async () => {
  const { store, accountId } = prepared;
  const id = await prepared.email();
  await inTransaction(store, (transaction) => addToOutbox(transaction, [deliverEmailStart(id)], new Date()));
  await pauseAccount(store, { accountId, by: 'default', reason: 'spam', now: new Date(), claimed: false });
  const erasure = { id: 'era_1', account_id: accountId, address_mark: 'mark', requested_by: 'default' };
  await store
    .insertInto('erasures')
    .values({ ...erasure, requested_at: new Date().toISOString(), finished_at: null })
    .execute();
  expect(await holdPaused(store, [workflowIdOf(id)])).toEqual(new Set());
});
