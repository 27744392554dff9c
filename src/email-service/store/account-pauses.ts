// A paused account sends nothing: POST /emails refuses, and what is queued waits. Hard bounces and deliveries are counted by hour, in
// the transaction that records them; the counts of a day decide whether an account is warned and then paused.
import { sql } from 'kysely';
import { inTransaction, sendAhead } from '../../lib/sql/transactions.ts';
import { type AccountChange, accountState, BY_BOUNCE_RATE, type Outcomes } from '../resources/account.ts';
import type { EventType } from '../resources/event.ts';
import { recordEvent } from './events.ts';
import type { Store, StoreTransaction } from './open-store.ts';
import { type Commit, type FirstAttempt, ROWS_COUNTED_MAX } from './outbox.ts';

const HOUR_MS = 3_600_000;
/** The hours of a day, each with a row that the next day uses again. */
const HOURS = 24;

const hourOf = (time: Date): number => Math.floor(time.getTime() / HOUR_MS);

/** Call it in the transaction that records the final status of an email, after its event, which has locked the account. */
export async function countOutcome(
  transaction: StoreTransaction,
  accountId: string,
  outcome: 'delivered' | 'bounced',
  now: Date,
): Promise<void> {
  const hour = hourOf(now);
  const first = { hour, delivered: Number(outcome === 'delivered'), bounced: Number(outcome === 'bounced') };
  const sum = (column: 'delivered' | 'bounced') =>
    sql<number>`excluded.${sql.ref(column)} + case when account_outcomes.hour = excluded.hour then account_outcomes.${sql.ref(column)} else 0 end`;
  await sendAhead(
    transaction,
    transaction
      .insertInto('account_outcomes')
      .values({ account_id: accountId, slot: hour % HOURS, ...first })
      .onConflict((conflict) =>
        conflict
          .columns(['account_id', 'slot'])
          .doUpdateSet({ hour, delivered: sum('delivered'), bounced: sum('bounced') }),
      ),
  );
}

/**
 * An email that was delivered counts as bounced instead. Call it in the transaction that records the late bounce.
 * @returns false if the delivery is not counted any more: the account was resumed since, or it is older than a day
 */
export async function countLateBounce(
  transaction: StoreTransaction,
  accountId: string,
  deliveredAt: Date,
): Promise<boolean> {
  const hour = hourOf(deliveredAt);
  const moved = await transaction
    .updateTable('account_outcomes')
    .set((row) => ({ delivered: row('delivered', '-', 1), bounced: row('bounced', '+', 1) }))
    .where('account_id', '=', accountId)
    .where('slot', '=', hour % HOURS)
    .where('hour', '=', hour)
    .where('delivered', '>', 0)
    .where((row) =>
      row.not(
        row.exists(
          row
            .selectFrom('accounts')
            .select('id')
            .where('id', '=', accountId)
            .where('resumed_at', '>=', deliveredAt.toISOString()),
        ),
      ),
    )
    .executeTakeFirst();
  return moved.numUpdatedRows === 1n;
}

/** Of the last 24 hours. */
export async function recentOutcomes(store: Store | StoreTransaction, accountId: string, now: Date): Promise<Outcomes> {
  const rows = await store
    .selectFrom('account_outcomes')
    .select(['delivered', 'bounced'])
    .where('account_id', '=', accountId)
    .where('hour', '>', hourOf(now) - HOURS)
    .execute();
  const sum = (column: keyof Outcomes): number => rows.reduce((total, row) => total + row[column], 0);
  return { delivered: sum('delivered'), bounced: sum('bounced') };
}

export interface ChangeToRecord extends AccountChange, Commit {
  readonly accountId: string;
}

/** Webhooks to begin after the commit; undefined if nothing was changed. */
type Posts = Promise<readonly FirstAttempt[] | undefined>;

/** An account that is paused keeps its first reason, except that an operator may take over a pause by the bounce rate. It keeps its time. */
export const pauseAccount = (store: Store, change: ChangeToRecord): Posts =>
  inTransaction(store, async (transaction) => {
    const { accountId, by, reason, now } = change;
    const paused = await transaction
      .updateTable('accounts')
      .set((row) => ({
        paused_at: row.fn.coalesce('paused_at', row.val(now.toISOString())),
        ...{ paused_by: by, pause_reason: reason },
      }))
      .where('id', '=', accountId)
      .where((row) =>
        by === BY_BOUNCE_RATE
          ? row('paused_at', 'is', null)
          : row.or([row('paused_at', 'is', null), row('paused_by', '=', BY_BOUNCE_RATE)]),
      )
      .executeTakeFirst();
    return paused.numUpdatedRows === 1n ? recordChange(transaction, 'account.paused', change) : undefined;
  });

/** How many accounts are paused, by the email service and by operators; of at most `ROWS_COUNTED_MAX`. */
export async function countPaused(
  store: Store,
): Promise<{ readonly byBounceRate: number; readonly byOperator: number }> {
  const paused = store
    .selectFrom('accounts')
    .select('paused_by')
    .where('paused_at', 'is not', null)
    .limit(ROWS_COUNTED_MAX);
  const { all, ...of } = await store
    .selectFrom(paused.as('matches'))
    .select(({ fn }) => [
      fn.countAll().as('all'),
      fn.countAll().filterWhere('paused_by', '=', BY_BOUNCE_RATE).as('byBounceRate'),
    ])
    .executeTakeFirstOrThrow();
  const byBounceRate = Number(of.byBounceRate);
  return { byBounceRate, byOperator: Number(all) - byBounceRate };
}

/** The bounces before it count no more: they were the reason of the pause. */
export const resumeAccount = (store: Store, change: ChangeToRecord): Posts =>
  inTransaction(store, async (transaction) => {
    const { accountId, now } = change;
    const resumed = await transaction
      .updateTable('accounts')
      .set({
        paused_at: null,
        paused_by: null,
        pause_reason: null,
        bounce_warned_at: null,
        resumed_at: now.toISOString(),
      })
      .where('id', '=', accountId)
      .where('paused_at', 'is not', null)
      .executeTakeFirst();
    if (resumed.numUpdatedRows === 0n) return undefined;
    await transaction.deleteFrom('account_outcomes').where('account_id', '=', accountId).execute();
    return recordChange(transaction, 'account.resumed', change);
  });

/** Not while the account is paused. @param withinHours nothing is changed if it was warned in these */
export const warnAccount = (store: Store, change: ChangeToRecord, withinHours: number): Posts =>
  inTransaction(store, async (transaction) => {
    const { accountId, now } = change;
    const warnedBefore = new Date(now.getTime() - withinHours * HOUR_MS).toISOString();
    const warned = await transaction
      .updateTable('accounts')
      .set({ bounce_warned_at: now.toISOString() })
      .where('id', '=', accountId)
      .where('paused_at', 'is', null)
      .where((row) => row.or([row('bounce_warned_at', 'is', null), row('bounce_warned_at', '<=', warnedBefore)]))
      .executeTakeFirst();
    return warned.numUpdatedRows === 1n ? recordChange(transaction, 'account.warned', change) : undefined;
  });

async function recordChange(
  transaction: StoreTransaction,
  type: EventType,
  { accountId, by, reason, now, claimed }: ChangeToRecord,
): Promise<readonly FirstAttempt[]> {
  const account = await transaction
    .selectFrom('accounts')
    .selectAll()
    .where('id', '=', accountId)
    .executeTakeFirstOrThrow();
  const state = accountState(account, await recentOutcomes(transaction, accountId, now));
  const resource = { ...state, change: { by, reason } };
  return (await recordEvent(transaction, { accountId, type, resource, now, claimed })).posts;
}
