// Idempotency-Keys after an erasure: the text of a key may name the person. Its fingerprint, a hash of what was sent, is keyed from the start.
import { type RawBuilder, sql } from 'kysely';
import { pagesOf } from '../../lib/sql/pages-of.ts';
import { inTransaction, sendAhead } from '../../lib/sql/transactions.ts';
import { type ErasureMarks, isErasureMark, markOf } from './erasure-marks.ts';
import type { Store, StoreTransaction } from './open-store.ts';
import { suppressedForm } from './suppressions.ts';

const PAGE_ROWS = 1_000;

export interface MarkedKey {
  readonly owner: string;
  readonly key: string;
  readonly fingerprint: string;
}

/**
 * A repetition still gets the answer of the first request, except its secret. A key is marked once, also when several recipients of its
 * request are erased. @returns how many were marked
 */
export async function markKeys(
  transaction: StoreTransaction,
  keys: readonly MarkedKey[],
  marks: ErasureMarks,
): Promise<number> {
  // Not by the key, whose text a caller chooses.
  const unmarked = keys.filter(({ fingerprint }) => !isErasureMark(fingerprint));
  for (const { owner, key, fingerprint } of unmarked) {
    const mark = marks.mark('idempotency-key', key);
    const isMarked = sql<boolean>`exists (
      select 1 from idempotency_keys as marked where marked.owner = ${owner} and marked.key = ${mark})`;
    // A request can have looked for its key before the first one's commit, and taken it after an erasure: the first answer stays.
    await sendAhead(
      transaction,
      transaction.deleteFrom('idempotency_keys').where('owner', '=', owner).where('key', '=', key).where(isMarked),
    );
    await sendAhead(
      transaction,
      transaction
        .updateTable('idempotency_keys')
        .set({ key: mark, fingerprint: markOf(fingerprint), sealed_secret: null })
        .where('owner', '=', owner)
        .where('key', '=', key),
    );
  }
  return unmarked.length;
}

/** Those of an account and of its API keys whose text has the address. @param onMarked called in the transaction */
export async function eraseKeysThatNameIt(
  store: Store,
  {
    accountId,
    recipient,
    marks,
  }: { readonly accountId: string; readonly recipient: string; readonly marks: ErasureMarks },
  onMarked: (transaction: StoreTransaction, count: number) => Promise<void>,
): Promise<void> {
  const apiKeys = await store.selectFrom('api_keys').select('id').where('account_id', '=', accountId).execute();
  for (const owner of [accountId, ...apiKeys.map(({ id }) => id)])
    for await (const named of keysThatNameIt(store, recipient, sql<boolean>`owner = ${owner}`))
      await inTransaction(store, async (transaction) => {
        await onMarked(transaction, await markKeys(transaction, named, marks));
      });
}

/** The accounts that have such keys. */
export async function* accountsOfKeysThatNameIt(store: Store, recipient: string): AsyncGenerator<string> {
  for await (const named of keysThatNameIt(store, recipient)) {
    const owners = [...new Set(named.map(({ owner }) => owner))];
    const ofKeys = await store.selectFrom('api_keys').select('account_id').where('id', 'in', owners).execute();
    const own = await store.selectFrom('accounts').select('id').where('id', 'in', owners).execute();
    yield* [...own.map(({ id }) => id), ...ofKeys.map(({ account_id: id }) => id)];
  }
}

async function* keysThatNameIt(
  store: Store,
  recipient: string,
  only?: RawBuilder<boolean>,
): AsyncGenerator<readonly MarkedKey[]> {
  const address = suppressedForm(recipient);
  const rows = {
    ...{ table: 'idempotency_keys', key: ['owner', 'key'], columns: ['owner', 'key', 'fingerprint'] },
    ...(only === undefined ? {} : { only }),
  };
  for await (const page of pagesOf<MarkedKey>(store, rows, { limit: PAGE_ROWS })) {
    const named = page.filter(({ key }) => key.toLowerCase().includes(address));
    if (named.length > 0) yield named;
  }
}
