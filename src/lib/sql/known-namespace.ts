import { type Kysely, sql } from 'kysely';

/** The Temporal Namespace in which the Workflows of a database run. */
export interface KnownNamespace {
  readonly namespace: string;
  /** Temporal's own id of it; null after a start of an earlier version, which remembered the name only. */
  readonly namespaceId: string | null;
}

/** Undefined before the first start, and after one of a version that did not remember it. */
export async function knownNamespace<Schema>(database: Kysely<Schema>): Promise<KnownNamespace | undefined> {
  const { rows } = await sql<{ namespace: string | null; namespace_id: string | null }>`
    select namespace, namespace_id from installation`.execute(database);
  const [{ namespace, namespace_id: namespaceId } = { namespace: null, namespace_id: null }] = rows;
  return namespace === null ? undefined : { namespace, namespaceId };
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
    where coalesce(namespace, '') = ${before?.namespace ?? ''}
      and coalesce(namespace_id, '') = ${before?.namespaceId ?? ''}`.execute(database);
  const known = await knownNamespace(database);
  return known?.namespace === namespace && known.namespaceId === namespaceId;
}
