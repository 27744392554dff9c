import { type Kysely, sql } from 'kysely';
import { isPostgres } from './transactions.ts';

/**
 * Gives the target the last id that the source has given to a row of the table, which may have been deleted since: listeners
 * continue after the last id that they saw. Does nothing for a table whose rows have no such id.
 */
export async function copyLastId(from: Kysely<unknown>, to: Kysely<unknown>, table: string): Promise<void> {
  const last = isPostgres(from) ? await lastIdOfPostgres(from, table) : await lastIdOfSqlite(from, table);
  if (last === undefined || last === 0) return;
  if (isPostgres(to)) {
    const sequence = await sequenceOf(to, table);
    await sql`select setval(${sequence}, ${last})`.execute(to);
  } else {
    // SQLite has no key on this table.
    await sql`delete from sqlite_sequence where name = ${table}`.execute(to);
    await sql`insert into sqlite_sequence (name, seq) values (${table}, ${last})`.execute(to);
  }
}

async function lastIdOfSqlite(database: Kysely<unknown>, table: string): Promise<number | undefined> {
  const made = await sql`select 1 from sqlite_schema where name = 'sqlite_sequence'`.execute(database);
  if (made.rows.length === 0) return undefined;
  const { rows } = await sql<{ seq: number }>`select seq from sqlite_sequence where name = ${table}`.execute(database);
  return rows[0]?.seq;
}

async function lastIdOfPostgres(database: Kysely<unknown>, table: string): Promise<number | undefined> {
  const sequence = await sequenceOf(database, table);
  if (sequence === undefined) return undefined;
  const { rows } = await sql<{
    last: number | null;
  }>`select pg_sequence_last_value(${sequence}::regclass) as last`.execute(database);
  return rows[0]?.last ?? undefined;
}

async function sequenceOf(database: Kysely<unknown>, table: string): Promise<string | undefined> {
  const { rows } = await sql<{ sequence: string }>`
    select pg_get_serial_sequence(quote_ident(table_name), column_name) as sequence from information_schema.columns
    where table_schema = current_schema() and table_name = ${table} and is_identity = 'YES'`.execute(database);
  return rows[0]?.sequence;
}
