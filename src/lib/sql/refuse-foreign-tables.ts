// The migrations of both programs have the same names, so only tables tell whose database it is.
import { DEFAULT_MIGRATION_LOCK_TABLE, DEFAULT_MIGRATION_TABLE, type Kysely, sql } from 'kysely';
import { counted } from '../counted.ts';
import { isPostgres } from './transactions.ts';

/** Each program with a table that only its database has. */
const ownTables = { orchestrator: 'onboardings', 'email service': 'emails' } as const;
export type DatabaseOwner = keyof typeof ownTables;
const owners = Object.keys(ownTables) as DatabaseOwner[];

const NAMED_TABLES_MAX = 3;

export class ForeignDatabaseError extends Error {
  override readonly name = 'ForeignDatabaseError';
}

/** Throws ForeignDatabaseError for what is found instead of the program's tables; a place without tables is new. */
export async function refuseForeignTables<Schema>(
  database: Kysely<Schema>,
  owner: DatabaseOwner,
  schema: string,
): Promise<void> {
  const tables = await tablesIn(database, schema);
  // Both programs have `installation`; a table `emails` alone may be anybody's.
  const found = owners.find((name) => tables.includes('installation') && tables.includes(ownTables[name]));
  if (found === owner) return;
  const advice = `Set it to the database of the ${owner}, or to a new one`;
  if (found !== undefined) throw new ForeignDatabaseError(`which is the database of the ${found}. ${advice}`);
  // A first migration that failed leaves the migrator's tables, empty.
  const others = tables.filter((name) => name !== DEFAULT_MIGRATION_TABLE && name !== DEFAULT_MIGRATION_LOCK_TABLE);
  if (others.length === 0) return;
  const named = [...others.slice(0, NAMED_TABLES_MAX), ...(others.length > NAMED_TABLES_MAX ? ['…'] : [])].join(', ');
  const place = isPostgres(database) ? `whose schema ${schema}` : 'which';
  throw new ForeignDatabaseError(
    `${place} holds ${counted(others.length, 'table')} of another program: ${named}. ${advice}`,
  );
}

async function tablesIn<Schema>(database: Kysely<Schema>, schema: string): Promise<readonly string[]> {
  const { rows } = isPostgres(database)
    ? await sql<{ name: string }>`select tablename as name from pg_tables where schemaname = ${schema}`.execute(
        database,
      )
    : await sql<{
        name: string;
      }>`select name from sqlite_schema where type = 'table' and name not like 'sqlite\\_%' escape '\\'`.execute(
        database,
      );
  return rows.map(({ name }) => name).sort();
}
