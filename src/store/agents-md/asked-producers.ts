// Who is asked for by which request to check now. Several requests may name a producer before it is checked; one check answers them all.
import { type Kysely, sql } from 'kysely';
import { inTransaction } from '../../lib/sql/transactions.ts';
import type { Database, Schema } from '../database.ts';
import type { CheckRequestProgress, CheckSelection } from './producers.ts';
import { chunks, lockCatalogue } from './write-producers.ts';

/** Whose progress is kept. */
const REQUESTS_MAX = 20;

export const askFor = (database: Database, selection: CheckSelection, at: string): Promise<number> =>
  inTransaction(database, async (transaction) => {
    await lockCatalogue(transaction);
    if ('ids' in selection) for (const ids of chunks(selection.ids)) await ask(transaction, at, { ids });
    else await ask(transaction, at, selection);
    const asked = transaction.selectFrom('producer_asks').select('producer_id').where('asked_at', '=', at);
    const { numUpdatedRows } = await transaction
      .updateTable('producers')
      .set({ asked_at: at, next_check_at: at })
      .where('producer_id', 'in', asked)
      .executeTakeFirst();
    await forgetOldest(transaction, at);
    return Number(numUpdatedRows);
  });

async function ask(transaction: Kysely<Schema>, at: string, selection: CheckSelection): Promise<void> {
  let chosen = transaction.selectFrom('producers').select((row) => [row.val(at).as('asked_at'), 'producer_id']);
  if ('ids' in selection) chosen = chosen.where('producer_id', 'in', selection.ids);
  else chosen = chosen.where('paused', '=', 0);
  if ('label' in selection) {
    chosen = chosen.where('producer_id', 'in', (where) =>
      where.selectFrom('producer_labels').select('producer_id').where('label', '=', selection.label),
    );
  }
  await transaction
    .insertInto('producer_asks')
    .columns(['asked_at', 'producer_id'])
    .expression(chosen)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

async function forgetOldest(transaction: Kysely<Schema>, at: string): Promise<void> {
  let oldest = at;
  for (let kept = 0; kept < REQUESTS_MAX; kept += 1) {
    const found = await transaction
      .selectFrom('producer_asks')
      .where('asked_at', '<', oldest)
      .select((row) => row.fn.max('asked_at').as('earlier'))
      .executeTakeFirst();
    // No row, so no time.
    const earlier = found?.earlier ?? null;
    if (earlier === null) return;
    oldest = earlier;
  }
  await transaction.deleteFrom('producer_asks').where('asked_at', '<=', oldest).execute();
}

export async function progress(database: Database, askedAt: string): Promise<CheckRequestProgress> {
  const rows = await database
    .selectFrom('producer_asks')
    .innerJoin('producers', 'producers.producer_id', 'producer_asks.producer_id')
    .select((row) => [
      sql<string>`case when attempted_at is null or attempted_at < ${askedAt} then 'waiting'
        when checked_at is null or checked_at < ${askedAt} then 'inconclusive' else outcome end`.as('state'),
      row.fn.countAll().as('producers'),
    ])
    .where('producer_asks.asked_at', '=', askedAt)
    // Null for a producer that was paused since, or removed and added again.
    .where('producers.asked_at', 'is not', null)
    .groupBy('state')
    .execute();
  const count = (state: string): number => Number(rows.find((row) => row.state === state)?.producers ?? 0);
  const outcomes = {
    ...{ pass: count('pass'), partial: count('partial'), fail: count('fail') },
    inconclusive: count('inconclusive'),
  };
  const answered = Object.values(outcomes).reduce((sum, number) => sum + number, 0);
  return { askedAt, total: answered + count('waiting'), answered, outcomes };
}
