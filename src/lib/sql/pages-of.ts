import { setImmediate as nextLoopTurn } from 'node:timers/promises';
import { type QueryExecutorProvider, type RawBuilder, sql } from 'kysely';

export interface PagedRows {
  readonly table: string;
  /** The columns of the primary key, in whose order the rows are read. */
  readonly key: readonly string[];
  /** @default all */
  readonly columns?: readonly string[];
  /** In the words of an index, because SQLite compares the text. @default every row */
  readonly only?: RawBuilder<boolean>;
}

export interface PageRange {
  readonly limit: number;
  /** The key of the row before the first. */
  readonly after?: readonly unknown[] | undefined;
  /** The key of the last row. */
  readonly until?: readonly unknown[] | undefined;
}

/** The rows of a table, none of the pages empty. Rows may change between two pages. */
export async function* pagesOf<Row extends object>(
  database: QueryExecutorProvider,
  { table, key, columns, only = sql<boolean>`1 = 1` }: PagedRows,
  { limit, after, until }: PageRange,
): AsyncGenerator<readonly Row[]> {
  const order = columnsOf(key);
  const upTo = until === undefined ? sql`` : sql`and (${order}) <= (${sql.join(until)})`;
  for (let last = after; ;) {
    const from = last === undefined ? sql`` : sql`and (${order}) > (${sql.join(last)})`;
    const { rows } = await sql<Row>`
      select ${columns === undefined ? sql`*` : columnsOf(columns)} from ${sql.table(table)}
      where ${only} ${from} ${upTo} order by ${order} limit ${sql.lit(limit)}`.execute(database);
    const end = rows.at(-1);
    if (end === undefined) return;
    yield rows;
    if (rows.length < limit) return;
    // SQLite answers without a turn of the event loop, in which others would wait for all pages.
    await nextLoopTurn();
    last = key.map((column) => (end as Readonly<Record<string, unknown>>)[column]);
  }
}

export const columnsOf = (names: readonly string[]): RawBuilder<unknown> =>
  sql.join(names.map((name) => sql.ref(name)));
