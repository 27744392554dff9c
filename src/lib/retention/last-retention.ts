import { type Kysely, sql } from 'kysely';

/** When the retention last removed all that was past it; undefined if it never has. */
export async function lastRetention<Schema>(database: Kysely<Schema>): Promise<Date | undefined> {
  const { rows } = await sql<{ at: string | null }>`select retention_at as at from installation`.execute(database);
  const at = rows[0]?.at;
  return at == null ? undefined : new Date(at);
}

export async function noteRetention<Schema>(database: Kysely<Schema>, at: Date): Promise<void> {
  await sql`update installation set retention_at = ${at.toISOString()}`.execute(database);
}
