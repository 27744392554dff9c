// Copies the rows of a program's tables from one database to another, of the same or of the other kind.
import { createHash } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { keyOf, type NewTables } from './create-tables.ts';
import { columnsOf, pagesOf } from './pages-of.ts';

/** Small, because a row of an email can have megabytes. */
const PAGE_ROWS = 100;

export interface CopiedTable {
  readonly name: string;
  /** The columns of the primary key. */
  readonly key: readonly string[];
}

/** In an order in which each row comes after the rows that it refers to. */
export type CopiedTables = readonly CopiedTable[];

/** Of all migrations; each database has its own row in `installation`. */
export const copiedTablesOf = (tables: NewTables): CopiedTables =>
  Object.entries(tables)
    .filter(([name]) => name !== 'installation')
    .map(([name, table]) => ({ name, key: keyOf(table) }));

const paged = ({ name, key }: CopiedTable) => ({ table: name, key });

type Key = readonly unknown[];
type Row = Readonly<Record<string, unknown>>;

export interface TableDigest {
  readonly rows: number;
  /** SHA-256 of every value of every row in key order, in hex. */
  readonly checksum: string;
}

/** Values of one row, in the order of the columns' names, which differs between databases of different ages. */
const valuesOf = (row: Row): unknown[] =>
  Object.keys(row)
    .sort()
    .map((column) => row[column]);

/** @param until the key of the last row; absent: to the end */
export async function digestOf(
  database: Kysely<unknown>,
  table: CopiedTable,
  { until, onPage = () => undefined }: { until?: Key | undefined; onPage?: (rows: number) => void } = {},
): Promise<TableDigest> {
  const hash = createHash('sha256');
  let rows = 0;
  for await (const page of pagesOf<Row>(database, paged(table), { limit: PAGE_ROWS, until })) {
    for (const row of page) hash.update(`${JSON.stringify(valuesOf(row))}\n`);
    rows += page.length;
    onPage(rows);
  }
  return { rows, checksum: hash.digest('hex') };
}

/** Copies the rows after the last one of the target. */
export async function copyRows(
  from: Kysely<unknown>,
  to: Kysely<unknown>,
  table: CopiedTable,
  onPage: (copied: number) => void,
): Promise<void> {
  let copied = 0;
  const after = await lastKeyOf(to, table);
  for await (const page of pagesOf<Row>(from, paged(table), { limit: PAGE_ROWS, after })) {
    await insertRows(to, table, page);
    copied += page.length;
    onPage(copied);
  }
}

async function insertRows(database: Kysely<unknown>, { name, key }: CopiedTable, page: readonly Row[]): Promise<void> {
  const columns = Object.keys(page[0] ?? {});
  const rows = page.map((row) => sql`(${sql.join(columns.map((column) => row[column]))})`);
  try {
    // Another run of the same copy may have inserted them; the checksums compare what is there in the end.
    await sql`
      insert into ${sql.table(name)} (${sql.join(columns.map((column) => sql.ref(column)))})
      values ${sql.join(rows)} on conflict do nothing`.execute(database);
  } catch (error) {
    const [first] = page;
    throw new Error(
      `cannot copy a row of ${name} from key ${JSON.stringify(key.map((column) => first?.[column]))} on`,
      {
        cause: error,
      },
    );
  }
}

export async function lastKeyOf(database: Kysely<unknown>, { name, key }: CopiedTable): Promise<Key | undefined> {
  const order = sql.join(key.map((column) => sql`${sql.ref(column)} desc`));
  const { rows } = await sql<Row>`
    select ${columnsOf(key)} from ${sql.table(name)} order by ${order} limit 1`.execute(database);
  return rows[0] && key.map((column) => rows[0]?.[column]);
}
