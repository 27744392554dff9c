// How many emails an account may send in a minute, an hour and a day. One row per account counts for all processes, in the transaction
// that accepts the email, so that a kill leaves neither an uncounted email nor a counted one that was not accepted; a scheduled email counts
// again when it leaves, but once in a window. A window begins with the first email after the end of the one before. No statement waits for the
// answer of the count: above the limit it is null, which the column refuses, and the transaction fails.
import { CompiledQuery, type RawBuilder, sql } from 'kysely';
import { refusedNull } from '../../lib/sql/database-error.ts';
import { databaseNow, isPostgres, sendAhead } from '../../lib/sql/transactions.ts';
import { type SendingLimits, WINDOWS, type WindowUse } from '../resources/sending-limits.ts';
import type { Store, StoreTransaction } from './open-store.ts';
import type { EmailTable, SendingLimitsTable } from './schema.ts';

type CountColumns = Omit<SendingLimitsTable, 'account_id'>;

const countColumns = WINDOWS.flatMap(
  ({ name }) => [`${name}_limit`, `${name}_started`, `${name}_count`] as const,
) satisfies (keyof CountColumns)[];

/** Of an account's row, with the time of the database; null where a join found no row. */
export type CountRow = { readonly [Column in keyof CountColumns]: number | null } & { readonly counted_at: number };

/** What a query of `sending_limits` selects for `usesOf`. */
export const countSelection = (store: Store | StoreTransaction) =>
  [...countColumns.map((column) => `sending_limits.${column}` as const), databaseNow(store).as('counted_at')] as const;

/** @param defaults of accounts without limits of their own */
export const usesOf = (row: CountRow | undefined, defaults: SendingLimits): readonly WindowUse[] =>
  WINDOWS.map(({ name, seconds }) => {
    const startedAt = row?.[`${name}_started`] ?? 0;
    const endsInMs = startedAt + seconds * 1_000 - (row?.counted_at ?? Infinity);
    const isOpen = endsInMs > 0;
    return {
      ...{ name, seconds },
      limit: row?.[`${name}_limit`] ?? defaults[name],
      openSince: isOpen ? startedAt : Infinity,
      used: isOpen ? (row?.[`${name}_count`] ?? 0) : 0,
      endsInSeconds: isOpen ? Math.ceil(endsInMs / 1_000) : seconds,
    };
  });

/**
 * Counts emails that are accepted, or leave. Call it late in their transaction: other emails of the account wait until it ends.
 * The transaction fails if they exceed a limit (`exceedsLimit`).
 * @returns `answer`: the account's row; await it after the commit
 */
export const countEmails = (
  transaction: StoreTransaction,
  accountId: string,
  defaults: SendingLimits,
  counts: WindowCounts,
): Promise<{ readonly answer: Promise<readonly CountRow[]> }> => {
  const text = countText(transaction, defaults);
  return sendAhead(transaction, {
    compile: () =>
      CompiledQuery.raw(text, [accountId, ...WINDOWS.map(({ name }) => counts[name])]) as CompiledQuery<CountRow>,
  });
};

type WindowCounts = Readonly<Record<keyof SendingLimits, number>>;

export const inEachWindow = (count: number): WindowCounts => ({ minute: count, hour: count, day: count });

/**
 * Counts scheduled emails that are to leave now, as far as the limits allow: the first of them. None counts twice in the window in which it was
 * accepted.
 * @returns how many may leave
 */
export async function countLeaving(
  transaction: StoreTransaction,
  accountId: string,
  defaults: SendingLimits,
  emails: readonly Pick<EmailTable, 'counted_at'>[],
): Promise<number> {
  const row = await transaction
    .selectFrom('sending_limits')
    .select(countSelection(transaction))
    .where('account_id', '=', accountId)
    .forUpdate()
    .executeTakeFirst();
  const uses = usesOf(row, defaults);
  let counts = inEachWindow(0);
  let leaving = 0;
  for (const { counted_at: countedAt } of emails) {
    const next = { ...counts };
    for (const { name, openSince } of uses) next[name] += Number(countedAt === null || countedAt < openSince);
    if (uses.some(({ name, used, limit }) => used + next[name] > limit)) break;
    counts = next;
    leaving += 1;
  }
  if (leaving > 0) await countEmails(transaction, accountId, defaults, counts);
  return leaving;
}

/** By the defaults of a program, and whether for PostgreSQL: to build it takes longer than the rest of its work in this process. */
const countTexts = new WeakMap<SendingLimits, Map<boolean, string>>();

function countText(transaction: StoreTransaction, defaults: SendingLimits): string {
  const texts = countTexts.get(defaults) ?? new Map<boolean, string>();
  countTexts.set(defaults, texts);
  const text = texts.get(isPostgres(transaction)) ?? countStatement(transaction, '', defaults).compile().sql;
  texts.set(isPostgres(transaction), text);
  return text;
}

function countStatement(transaction: StoreTransaction, accountId: string, defaults: SendingLimits) {
  const now = databaseNow(transaction);
  const first = Object.fromEntries(
    WINDOWS.flatMap(({ name }): [string, RawBuilder<number>][] => [
      [`${name}_started`, now],
      // A parameter: how many. The first row of an account has no other count to add.
      [`${name}_count`, sql<number>`${1}`],
    ]),
  );
  const next = Object.fromEntries(
    WINDOWS.flatMap(({ name, seconds }): [string, RawBuilder<number>][] => {
      const [started, count, limit] = ['started', 'count', 'limit'].map((of) =>
        sql.ref(`sending_limits.${name}_${of}`),
      );
      const asked = sql.ref(`excluded.${name}_started`);
      const added = sql.ref(`excluded.${name}_count`);
      const isOpen = sql`${started} > ${asked} - ${sql.lit(seconds * 1_000)}`;
      const counted = sql`(case when ${isOpen} then ${count} + ${added} else ${added} end)`;
      return [
        [`${name}_started`, sql<number>`case when ${isOpen} then ${started} else ${asked} end`],
        [
          `${name}_count`,
          sql<number>`case when ${counted} <= coalesce(${limit}, ${sql.lit(defaults[name])}) then ${counted} end`,
        ],
      ];
    }),
  );
  return transaction
    .insertInto('sending_limits')
    .values({ account_id: accountId, ...first })
    .onConflict((conflict) => conflict.column('account_id').doUpdateSet(next))
    .returning(countSelection(transaction));
}

/** Whether the error is that of `countEmails` above a limit. */
export const exceedsLimit = (error: unknown): boolean => refusedNull(error)?.startsWith('sending_limits.') === true;

/** Undefined if the account has never sent and has no limits of its own. */
export const readCounts = (store: Store, accountId: string): Promise<CountRow | undefined> =>
  store
    .selectFrom('sending_limits')
    .select(countSelection(store))
    .where('account_id', '=', accountId)
    .executeTakeFirst();

/** @param limits null for the default */
export async function putLimits(
  store: Store,
  accountId: string,
  limits: Readonly<Record<keyof SendingLimits, number | null>>,
): Promise<void> {
  const columns = { minute_limit: limits.minute, hour_limit: limits.hour, day_limit: limits.day };
  await store
    .insertInto('sending_limits')
    .values({ account_id: accountId, ...columns })
    .onConflict((conflict) => conflict.column('account_id').doUpdateSet(columns))
    .execute();
}
