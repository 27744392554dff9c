import { type Kysely, sql } from 'kysely';
import { isPostgres } from '../../src/lib/sql/transactions.ts';

/** A transaction as large as this takes less than a second. */
const ROWS_AT_ONCE = 20_000;

/** The SQL of a column of the copies: of `n`, the number of the copy, and of the columns of the copied row. */
export type Column = string;

export interface Copies {
  readonly table: string;
  /** The condition of the one row that is copied. */
  readonly original: string;
  /** The columns that differ from the original. */
  readonly differing: Readonly<Record<string, Column>>;
  /** The first number, and the one after the last. */
  readonly from: number;
  readonly to: number;
  /** Ends it between two transactions. */
  readonly signal: AbortSignal;
}

/** Copies a row, in several transactions. */
export async function copyRow<Schema>(
  database: Kysely<Schema>,
  { table, original, differing, from, to, signal }: Copies,
): Promise<void> {
  const names = await columnsOf(database, table);
  const values = names.map((name) => differing[name] ?? `original."${name}"`);
  const columns = names.map((name) => `"${name}"`).join(', ');
  for (let at = from; at < to; at += ROWS_AT_ONCE) {
    signal.throwIfAborted();
    const last = Math.min(at + ROWS_AT_ONCE, to) - 1;
    await sql
      .raw(
        `insert into ${table} (${columns})
         with recursive series (n) as (select ${at} union all select n + 1 from series where n < ${last})
         select ${values.join(', ')} from series, ${table} as original where ${original}`,
      )
      .execute(database);
  }
}

/** Without those that the database fills. */
async function columnsOf<Schema>(database: Kysely<Schema>, table: string): Promise<readonly string[]> {
  const tables = await database.introspection.getTables();
  const found = tables.find(({ name }) => name === table);
  if (found === undefined) throw new Error(`There is no table ${table}`);
  return found.columns.filter(({ isAutoIncrementing }) => !isAutoIncrementing).map(({ name }) => name);
}

/** A number as a text of 26 digits, which sorts as the number does, and before every id of today. */
export const padded = <Schema>(database: Kysely<Schema>, number = 'n'): Column =>
  isPostgres(database) ? `lpad((${number})::text, 26, '0')` : `printf('%026d', ${number})`;

/** What PostgreSQL does by itself some time after such a change, and not during a measurement. */
export async function settle<Schema>(database: Kysely<Schema>): Promise<void> {
  if (!isPostgres(database)) return;
  await sql`vacuum analyze`.execute(database);
  await sql`checkpoint`.execute(database);
}
