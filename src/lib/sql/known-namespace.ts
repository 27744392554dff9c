import { type Kysely, sql } from 'kysely';

/** The Temporal Namespace in which the Workflows of a database run. */
export interface KnownNamespace {
  readonly namespace: string;
  /** Temporal's own id of it. */
  readonly namespaceId: string;
}

/** Undefined before the first start. */
export async function knownNamespace<Schema>(database: Kysely<Schema>): Promise<KnownNamespace | undefined> {
  const { rows } = await sql<KnownNamespace>`
    select namespace, namespace_id as "namespaceId" from installation where namespace_id is not null`.execute(database);
  return rows[0];
}

/**
 * Remembers the Namespace unless another program has changed what the database knows meanwhile.
 *
 * @param before what the caller read
 * @returns whether the database knows this Namespace now
 */
export async function rememberNamespace<Schema>(
  database: Kysely<Schema>,
  { namespace, namespaceId }: KnownNamespace,
  before: KnownNamespace | undefined,
): Promise<boolean> {
  await sql`update installation set namespace = ${namespace}, namespace_id = ${namespaceId}
    where coalesce(namespace_id, '') = ${before?.namespaceId ?? ''}`.execute(database);
  return (await knownNamespace(database))?.namespaceId === namespaceId;
}
