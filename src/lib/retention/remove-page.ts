import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely';
import { columnsOf } from '../sql/pages-of.ts';
import { inTransaction, isPostgres } from '../sql/transactions.ts';
import { type PageToRemove, positionAfter, type RemovedPage } from './remove-expired.ts';

export interface ExpiringRows {
  readonly table: string;
  /** The column that the retention is counted from. */
  readonly time: string;
  /** @default id */
  readonly key?: readonly string[];
  /** In the words of the index, because SQLite compares the text. @default every row */
  readonly only?: RawBuilder<boolean>;
}

type Row = Readonly<Record<string, string>>;

/**
 * Removes a page of rows in one transaction, the oldest first; those that another transaction has locked wait for the next run.
 * @param remove gets the keys of at least one row, and resolves with how many it removed
 */
export const removePage = <Schema>(
  database: Kysely<Schema>,
  { before, after, limit }: PageToRemove,
  { table, time, key = ['id'], only = sql<boolean>`1 = 1` }: ExpiringRows,
  remove: (transaction: Transaction<Schema>, keys: readonly Row[]) => Promise<number>,
): Promise<RemovedPage> =>
  inTransaction(database, async (transaction) => {
    const order = [time, ...key];
    const columns = columnsOf(order);
    const { rows } = await sql<Row>`
      select ${columns} from ${sql.table(table)}
      where ${only} and ${sql.ref(time)} < ${before} and (${columns}) > (${sql.join(after ?? order.map(() => ''))})
      order by ${columns} limit ${limit} ${isPostgres(transaction) ? sql`for update skip locked` : sql``}`.execute(
      transaction,
    );
    return {
      removed: rows.length === 0 ? 0 : await remove(transaction, rows),
      next: positionAfter(rows, limit, (row) => order.map((column) => row[column] ?? '')),
    };
  });

/** @param needing what needs a row, which then stays: a query that may name the row's columns */
export const deletePage = <Schema>(
  database: Kysely<Schema>,
  asked: PageToRemove,
  rows: ExpiringRows,
  needing?: RawBuilder<unknown>,
): Promise<RemovedPage> =>
  removePage(database, asked, rows, async (transaction, page) => {
    const { table, key = ['id'] } = rows;
    const keys = page.map((row) => sql`(${sql.join(key.map((column) => row[column]))})`);
    const { numAffectedRows } = await sql`
      delete from ${sql.table(table)}
      where (${columnsOf(key)}) in (values ${sql.join(keys)})
        ${needing === undefined ? sql`` : sql`and not exists (${needing})`}`.execute(transaction);
    return Number(numAffectedRows);
  });
