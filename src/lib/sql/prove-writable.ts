import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Kysely, sql } from 'kysely';
import { refusesTemporaryTables } from './database-error.ts';
import { diskOf } from './postgres-dialect.ts';
import { SqliteError } from './sqlite-error.ts';
import { isPostgres } from './transactions.ts';

/** "SNDF" in ASCII, which marks the file as sendoff's. */
const APPLICATION_ID = 0x53_4e_44_46;
/** Less than this is full: the largest email takes as much. */
const SPACE_BYTES_MIN = 1_000_000;

/**
 * Commits a write, which fails on a database that is locked, full, read-only or gone; taking the write lock alone succeeds on a full
 * disk. So does a small write, in space that the database has already: what a megabyte needs must be there too.
 *
 * @param options.space on PostgreSQL, which has to write the megabyte for it. @default after a statement of this process that found
 * the disk full
 */
export async function proveWritable<Schema>(
  database: Kysely<Schema>,
  { space }: { readonly space?: boolean } = {},
): Promise<true> {
  if (!isPostgres(database)) {
    await sql`PRAGMA application_id = ${sql.lit(APPLICATION_ID)}`.execute(database);
    await proveSpaceOfFile(database);
    return true;
  }
  await sql`update installation set id = id`.execute(database);
  const disk = diskOf(database);
  if (space ?? disk?.isFull === true) await proveSpaceOfServer(database);
  if (disk !== undefined) disk.isFull = false;
  return true;
}

/** In a temporary table, which needs new files of the same disk and leaves nothing. */
async function proveSpaceOfServer<Schema>(database: Kysely<Schema>): Promise<void> {
  try {
    await database.transaction().execute(async (transaction) => {
      await sql`create temporary table sendoff_space (content text) on commit drop`.execute(transaction);
      const rows = sql.lit(SPACE_BYTES_MIN / 1_000);
      await sql`insert into sendoff_space select repeat('x', 1000) from generate_series(1, ${rows})`.execute(
        transaction,
      );
    });
  } catch (error) {
    if (!refusesTemporaryTables(error)) throw error;
  }
}

async function proveSpaceOfFile<Schema>(database: Kysely<Schema>): Promise<void> {
  const { rows } = await sql<{ file: string }>`PRAGMA database_list`.execute(database);
  const { bavail, bsize } = await statfs(dirname(rows[0]?.file ?? ''));
  const bytes = bavail * bsize;
  if (bytes < SPACE_BYTES_MIN) throw new SqliteError('SQLITE_FULL', `the disk has ${bytes} bytes left`);
}
