import { type Kysely, sql } from 'kysely';
import { pagesOf } from './pages-of.ts';
import { createSealer, opens, type SealedValue } from '../sealing.ts';
import { inTransaction } from './transactions.ts';

const PAGE_ROWS = 500;

/** A column of sealed values, or nulls. */
export interface SealedColumn {
  readonly table: string;
  readonly column: string;
  /** The columns of the primary key, all text. */
  readonly key: readonly [string, ...string[]];
  /** Its content, in the plural: `DKIM keys`. */
  readonly holds: string;
  /** The context that a value is sealed in. @param key the values of the primary key */
  readonly contextOf: (...key: string[]) => string;
}
export async function* sealedValues<Schema>(
  database: Kysely<Schema>,
  columns: readonly SealedColumn[],
): AsyncGenerator<SealedValue> {
  for (const column of columns) for await (const page of sealedPages(database, column)) yield* page;
}

export interface KeyCounts {
  readonly total: number;
  /** By key, in their order. */
  readonly openedBy: readonly number[];
  /** Values that no key opens, by what they are. */
  readonly unopened: Readonly<Record<string, number>>;
}
export async function countByKey<Schema>(
  database: Kysely<Schema>,
  columns: readonly SealedColumn[],
  keys: readonly Buffer[],
  onProgress: (checked: number) => void = () => undefined,
): Promise<KeyCounts> {
  const sealers = keys.map((key) => createSealer([key]));
  const openedBy = keys.map(() => 0);
  const unopened: Record<string, number> = {};
  let total = 0;
  for (const column of columns) {
    for await (const page of sealedPages(database, column)) {
      for (const value of page) {
        const index = sealers.findIndex((sealer) => opens(sealer, value));
        if (index === -1) unopened[column.holds] = (unopened[column.holds] ?? 0) + 1;
        else openedBy[index] = (openedBy[index] ?? 0) + 1;
      }
      total += page.length;
      onProgress(total);
    }
  }
  return { total, openedBy, unopened };
}

/**
 * Seals every value with the first key that another key opens. Programs may run: a value that one of them has replaced or
 * erased stays as it is. Can be repeated after an interruption.
 *
 * @param onProgress after each page: how many values have been read, and how many sealed again
 */
export async function reseal<Schema>(
  database: Kysely<Schema>,
  columns: readonly SealedColumn[],
  keys: readonly Buffer[],
  onProgress: (read: number, resealed: number) => void = () => undefined,
): Promise<number> {
  const sealer = createSealer(keys);
  const first = createSealer(keys.slice(0, 1));
  let read = 0;
  let resealed = 0;
  for (const column of columns) {
    for await (const page of sealedPages(database, column)) {
      const stale = page.filter((value) => !opens(first, value) && opens(sealer, value));
      const renewed = stale.map((value) => ({
        ...value,
        renewed: sealer.seal(sealer.open(value.sealed, value.context), value.context),
      }));
      resealed += await replaceUnchanged(database, column, renewed);
      read += page.length;
      onProgress(read, resealed);
    }
  }
  return resealed;
}

interface SealedRow extends SealedValue {
  readonly key: readonly string[];
}

async function* sealedPages<Schema>(
  database: Kysely<Schema>,
  { table, column, key, contextOf }: SealedColumn,
): AsyncGenerator<readonly SealedRow[]> {
  const rows = { table, key, columns: [...key, column], only: sql<boolean>`${sql.ref(column)} is not null` };
  for await (const page of pagesOf<Readonly<Record<string, string>>>(database, rows, { limit: PAGE_ROWS })) {
    yield page.map((row) => {
      const values = key.map((name) => row[name] ?? '');
      return { key: values, sealed: row[column] ?? '', context: contextOf(...values) };
    });
  }
}

/** One short transaction: on SQLite, each commit waits for the disk. */
async function replaceUnchanged<Schema>(
  database: Kysely<Schema>,
  { table, column, key }: SealedColumn,
  rows: readonly (SealedRow & { readonly renewed: string })[],
): Promise<number> {
  if (rows.length === 0) return 0;
  return inTransaction(database, async (transaction) => {
    let replaced = 0;
    for (const row of rows) {
      const isRow = sql.join(
        key.map((name, index) => sql`${sql.ref(name)} = ${row.key[index]}`),
        sql` and `,
      );
      const { numAffectedRows } = await sql`
        update ${sql.table(table)} set ${sql.ref(column)} = ${row.renewed}
        where ${isRow} and ${sql.ref(column)} = ${row.sealed}`.execute(transaction);
      replaced += Number(numAffectedRows ?? 0);
    }
    return replaced;
  });
}
