import { afterEach, beforeEach, expect, test } from 'vitest';
import { inTransaction } from '../../../src/lib/sql/transactions.ts';
import { recordEvent } from '../../../src/email-service/store/events.ts';
import { addToOutbox, deliverEmailStart } from '../../../src/email-service/store/outbox.ts';
import { addPendingToOutbox } from '../../../src/email-service/store/pending-starts.ts';
import { openTestStore, type TestStore } from '../support/test-store.ts';

let database: TestStore;
beforeEach(async () => {
  database = await openTestStore();
});
afterEach(() => database.end());

const outbox = async (): Promise<readonly string[]> =>
  (await database.store.selectFrom('outbox').select('workflow_id').orderBy('workflow_id').execute()).map(
    ({ workflow_id }) => workflow_id,
  );

test('adds what has not ended, of every kind and every page, and nothing twice', async () => {
  const { store, accountId, domainId } = database;
  const { id: webhookId } = await database.webhook(['email.delivered']);
  const now = new Date();
  const eventIds: string[] = [];
  for (let number = 0; number < 2; number += 1) {
    const event = { accountId, type: 'email.delivered', resource: {}, now, claimed: false } as const;
    eventIds.push((await inTransaction(store, (transaction) => recordEvent(transaction, event))).eventId);
  }
  const [deliveredId = '', pendingId = ''] = eventIds;
  await store
    .updateTable('webhook_deliveries')
    .set({ status: 'delivered' })
    .where('event_id', '=', deliveredId)
    .execute();
  await store.deleteFrom('outbox').execute();
  // More than two pages.
  const original = await store
    .selectFrom('emails')
    .selectAll()
    .where('id', '=', await database.email())
    .executeTakeFirstOrThrow();
  const ids = Array.from({ length: 1_001 }, (_, number) => `eml_${String(number).padStart(4, '0')}`);
  for (let at = 0; at < ids.length; at += 500) {
    const rows = ids.slice(at, at + 500).map((id) => ({ ...original, id }));
    await store.insertInto('emails').values(rows).execute();
  }
  await database.email({ status: 'delivered' });
  await database.email({ status: 'bounced' });

  await inTransaction(store, (transaction) => addToOutbox(transaction, [deliverEmailStart('eml_0007')], now));
  await addPendingToOutbox(store);
  const all = [
    ...[...ids, original.id].map((id) => `deliver-email/${id}`),
    `deliver-webhook/${pendingId}/${webhookId}`,
    `verify-domain/${domainId}`,
  ];
  expect(await outbox()).toEqual(all.toSorted());
  await addPendingToOutbox(store);
  expect(await outbox()).toHaveLength(all.length);
});

test('leaves out domains that are verified or deleted', async () => {
  const { store, domainId } = database;
  await store.updateTable('domains').set({ deleted_at: new Date().toISOString() }).execute();
  await addPendingToOutbox(store);
  expect(await outbox()).toEqual([]);
  await store.updateTable('domains').set({ deleted_at: null, status: 'verified' }).where('id', '=', domainId).execute();
  await addPendingToOutbox(store);
  expect(await outbox()).toEqual([]);
});
