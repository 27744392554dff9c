// Distinguishes the installations that share a Temporal Namespace.
import { randomBytes } from 'node:crypto';
import { type Kysely, sql } from 'kysely';

/** Gives a database a permanent installation id; a copy of the database is the same installation. For migrations. */
export async function createInstallationId(database: Kysely<unknown>): Promise<void> {
  await sql`insert into installation (id) values (${randomBytes(6).toString('hex')})`.execute(database);
}

/** Its one row; `namespace`: where its Workflows run, null until the first start; `retention_at`: see `lastRetention`. */
export const installationColumns = {
  id: 'key',
  namespace: 'text?',
  namespace_id: 'text?',
  retention_at: 'text?',
} as const;

const UNFINISHED_COPY = 'unfinished copy of installation ';

/** Stands in place of the id until all rows of another database are copied: no program starts with such a database. */
export const unfinishedCopyOf = (installationId: string): string => `${UNFINISHED_COPY}${installationId}`;

export const isUnfinishedCopy = (storedId: string): boolean => storedId.startsWith(UNFINISHED_COPY);

export class UnfinishedCopyError extends Error {
  override readonly name = 'UnfinishedCopyError';
}

/** Throws UnfinishedCopyError. */
export async function installationIdOf<Schema>(database: Kysely<Schema>): Promise<string> {
  const id = await storedInstallationId(database);
  if (!isUnfinishedCopy(id)) return id;
  throw new UnfinishedCopyError(`the database is an ${id}: complete it with the same sendoff store copy`);
}

/** The id, or the mark of an unfinished copy. */
export async function storedInstallationId<Schema>(database: Kysely<Schema>): Promise<string> {
  const { rows } = await sql<{ id: string }>`select id from installation`.execute(database);
  const [row] = rows;
  if (row === undefined || rows.length > 1)
    throw new Error(`expected one installation id in the database, found ${String(rows.length)}`);
  return row.id;
}
