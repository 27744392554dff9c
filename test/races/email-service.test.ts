import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '../../src/email-service/resources/resource-ids.ts';
import { findKeyOfToken, insertApiKey, revokeApiKey } from '../../src/email-service/store/api-keys.ts';
import { renewLeases } from '../../src/email-service/store/attempt-leases.ts';
import { beginAttempt } from '../../src/email-service/store/delivery-attempts.ts';
import { takeIdempotencyKey } from '../../src/email-service/store/idempotency-keys.ts';
import { openStore, type Store } from '../../src/email-service/store/open-store.ts';
import { addToOutbox, claimStarts, deliverEmailStart, forgetStarts } from '../../src/email-service/store/outbox.ts';
import { recordDeferral, recordFinalStatus } from '../../src/email-service/store/record-attempt.ts';
import { inTransaction } from '../../src/lib/sql/transactions.ts';
import { accepted } from '../email-service/support/deliver-over-smtp.ts';
import { openTestStore, type TestStore } from '../email-service/support/test-store.ts';
import { four, inRounds, ROUNDS } from './rounds.ts';

const now = new Date();

let prepared: TestStore;
let store: Store;
beforeAll(async () => {
  prepared = await openTestStore();
  store = await openStore(prepared.databaseUrl, { connections: 8 });
});
afterAll(async () => {
  await store.destroy();
  await prepared.end();
});

test('of several processes one begins an attempt, also while its holder renews an ended lease', async () => {
  await inRounds(async () => {
    const emailId = await prepared.email();
    const begun = await four((holder) => beginAttempt(store, { emailId, holder: String(holder), now }));
    const winner = begun.findIndex((each) => 'number' in each);
    expect(begun.filter((each) => 'number' in each)).toEqual([{ number: 1 }]);
    await store.updateTable('delivery_attempts').set({ lease_until: 0 }).where('email_id', '=', emailId).execute();
    const holds = await four(async (contender) =>
      contender === 0
        ? (await renewLeases(store, String(winner), [emailId])).has(emailId)
        : 'number' in (await beginAttempt(store, { emailId, holder: `next ${String(contender)}`, now })),
    );
    expect(holds.filter((each) => each)).toHaveLength(1);
  });
});

test('the ends of attempts for one account meet in no deadlock, and number their events without a gap', async () => {
  await inRounds(async () => {
    const ids = await four(() => prepared.email());
    await Promise.all(ids.map((emailId) => beginAttempt(store, { emailId, holder: 'this', now })));
    const [one = '', two = '', three = ''] = ids;
    const end = (emailId: string) =>
      recordFinalStatus(store, prepared.sealer, {
        emailId,
        number: 1,
        result: accepted,
        status: 'delivered',
        now,
        claimed: false,
      });
    await Promise.all([
      end(one),
      end(one),
      end(two),
      recordDeferral(store, {
        emailId: three,
        number: 1,
        result: accepted,
        now,
        claimed: false,
        withEvent: true,
        retryInMs: 60_000,
      }),
    ]);
  });
  const numbers = (await prepared.events()).map(({ number }) => number);
  expect(numbers).toEqual(Array.from({ length: 3 * ROUNDS }, (_, index) => index + 1));
});

test('of several requests with one Idempotency-Key one creates', async () => {
  await inRounds(async (round) => {
    const claim = { owner: prepared.accountId, key: `race ${String(round)}` };
    const claimed = await four(() =>
      inTransaction(store, (transaction) => takeIdempotencyKey(transaction, claim, 'fingerprint', now)),
    );
    expect(claimed.filter((each) => each)).toHaveLength(1);
  });
});

test('each start in the outbox is claimed by one process', async () => {
  await inRounds(async (round) => {
    const ids = Array.from({ length: 8 }, (_, index) => `eml_${String(round)}_${String(index)}`);
    await inTransaction(store, async (transaction) => {
      for (const id of ids) await addToOutbox(transaction, [deliverEmailStart(id)], now);
    });
    const claims = (await four(() => claimStarts(store, 4))).flat().map(({ workflow_id: id }) => id);
    expect(new Set(claims).size).toBe(claims.length);
    await forgetStarts(store, claims);
    expect(claims.every((id) => !forgotten.has(id))).toBe(true);
    for (const id of claims) forgotten.add(id);
  });
  await forgetStarts(
    store,
    (await claimStarts(store, 8 * ROUNDS)).map(({ workflow_id: id }) => id),
  );
  expect(await store.selectFrom('outbox').select('workflow_id').execute()).toEqual([]);
});
const forgotten = new Set<string>();

/** Its id is its token too. */
const keyOf = (parentId: string | null): Parameters<typeof insertApiKey>[1] => {
  const id = newId('key');
  return {
    ...{ id, account_id: prepared.accountId, name: null, token_sha256: id, last_four: 'race' },
    ...{ scopes: null, parent_id: parentId, created_at: now.toISOString(), revoked_at: null },
    ...{ domain_id: null, expires_at: null, last_used_at: null },
  };
};
const insert = (key: ReturnType<typeof keyOf>): Promise<boolean> =>
  inTransaction(store, (transaction) => insertApiKey(transaction, key));

test('a key is revoked once, and no use succeeds after its revocation was answered', async () => {
  await inRounds(async () => {
    const key = keyOf(null);
    const { id } = key;
    await insert(key);
    const answers = await four(async (contender) => {
      if (contender % 2 === 0) return revokeApiKey(store, id, undefined, now);
      await findKeyOfToken(store, id);
      return false;
    });
    expect(answers.filter((each) => each)).toHaveLength(1);
    expect(await findKeyOfToken(store, id)).toBeUndefined();
  });
});

test('no key outlives the revocation of the key that is creating it', async () => {
  await inRounds(async () => {
    const parent = keyOf(null);
    await insert(parent);
    const made = await four(async (contender) => {
      if (contender === 2) await revokeApiKey(store, parent.id, undefined, now);
      if (contender === 2) return [];
      const child = keyOf(parent.id);
      if (!(await insert(child))) return [child.id];
      const grandchild = keyOf(child.id);
      await insert(grandchild);
      return [child.id, grandchild.id];
    });
    for (const id of made.flat()) expect(await findKeyOfToken(store, id)).toBeUndefined();
  });
});
