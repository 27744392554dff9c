import { type Kysely, sql } from 'kysely';
import { copyRows, type CopiedTable, type CopiedTables, digestOf, lastKeyOf, type TableDigest } from './copy-tables.ts';
import { copyLastId } from './copy-last-id.ts';
import { installationIdOf, isUnfinishedCopy, storedInstallationId, unfinishedCopyOf } from './installation-id.ts';

export interface CopyDatabaseOptions {
  /** Nothing may write to it meanwhile. */
  readonly from: Kysely<unknown>;
  /** Has the same migrations. */
  readonly to: Kysely<unknown>;
  readonly tables: CopiedTables;
  readonly onProgress: (progress: CopyProgress) => void;
}

interface CopyProgress {
  readonly what: 'compared' | 'copied' | 'verified';
  readonly table: string;
  readonly rows: number;
}

export interface CopiedDatabase {
  readonly installationId: string;
  /** `continued`: of a copy that was interrupted. `restarted`: the source had changed since then, so the target was emptied. */
  readonly began: 'fresh' | 'continued' | 'restarted';
  readonly tables: readonly (TableDigest & { readonly name: string })[];
}

/** The target is in use, or the copy differs from the source. */
export class CopyError extends Error {
  override readonly name = 'CopyError';
}

/**
 * Makes the target a copy of the source, with its installation id. Until the last step no program starts with the target, and
 * another call continues where an interrupted one ended.
 */
export async function copyDatabase(options: CopyDatabaseOptions): Promise<CopiedDatabase> {
  const { from, to, tables, onProgress } = options;
  const installationId = await installationIdOf(from);
  const began = await begin(installationId, options);
  for (const table of tables)
    await copyRows(from, to, table, (rows) => {
      onProgress({ what: 'copied', table: table.name, rows });
    });
  const digests = [];
  for (const table of tables) digests.push({ name: table.name, ...(await verifiedDigest(table, options)) });
  for (const table of tables) await copyLastId(from, to, table.name);
  await finish(options, installationId);
  return { installationId, began, tables: digests };
}

async function begin(installationId: string, options: CopyDatabaseOptions): Promise<CopiedDatabase['began']> {
  const { to, tables } = options;
  const mark = unfinishedCopyOf(installationId);
  const held = await storedInstallationId(to);
  if (held === mark) {
    if (await isPrefix(options)) return 'continued';
    for (const { name } of tables.toReversed()) await sql`delete from ${sql.table(name)}`.execute(to);
    return 'restarted';
  }
  if (held === installationId)
    throw new CopyError(`the target already is a complete copy: it has the installation id ${installationId}`);
  if (isUnfinishedCopy(held)) throw new CopyError(`the target is an ${held}: copy that one, or use another target`);
  const filled = await firstWithRows(to, tables);
  if (filled !== undefined) throw new CopyError(`the target has other data: its table ${filled.name} is not empty`);
  await sql`update installation set id = ${mark} where id = ${held}`.execute(to);
  return 'fresh';
}

/** Whether every table of the target begins as that of the source. */
async function isPrefix({ from, to, tables, onProgress }: CopyDatabaseOptions): Promise<boolean> {
  for (const table of tables) {
    const until = await lastKeyOf(to, table);
    if (until === undefined) continue;
    const copied = await digestOf(to, table);
    const original = await digestOf(from, table, {
      until,
      onPage: (rows) => {
        onProgress({ what: 'compared', table: table.name, rows });
      },
    });
    if (copied.checksum !== original.checksum) return false;
  }
  return true;
}

async function firstWithRows(database: Kysely<unknown>, tables: CopiedTables): Promise<CopiedTable | undefined> {
  for (const table of tables) if ((await lastKeyOf(database, table)) !== undefined) return table;
  return undefined;
}

async function verifiedDigest(table: CopiedTable, { from, to, onProgress }: CopyDatabaseOptions): Promise<TableDigest> {
  const original = await digestOf(from, table);
  const copy = await digestOf(to, table, {
    onPage: (rows) => {
      onProgress({ what: 'verified', table: table.name, rows });
    },
  });
  if (original.rows === copy.rows && original.checksum === copy.checksum) return copy;
  throw new CopyError(
    `the copy of ${table.name} differs: ${original.rows} rows with checksum ${original.checksum} became ${copy.rows} with ${copy.checksum}. Run the command again: it compares both and begins anew where they differ`,
  );
}

/** With every column of the row; the first writer of two copies wins, and both copied the same. */
async function finish({ from, to }: CopyDatabaseOptions, installationId: string): Promise<void> {
  const { rows } = await sql<Record<string, unknown>>`select * from installation`.execute(from);
  const columns = Object.entries(rows[0] ?? {}).map(([name, value]) => sql`${sql.ref(name)} = ${value}`);
  await sql`update installation set ${sql.join(columns)} where id = ${unfinishedCopyOf(installationId)}`.execute(to);
}
