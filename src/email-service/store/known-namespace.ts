import { sql } from 'kysely';
import type { Store } from './open-store.ts';

/** The Temporal Namespace that the last start used; undefined before the first one, and after one of an earlier version. */
export async function knownNamespace(store: Store): Promise<string | undefined> {
  const { rows } = await sql<{ namespace: string | null }>`select namespace from installation`.execute(store);
  return rows[0]?.namespace ?? undefined;
}

export async function rememberNamespace(store: Store, namespace: string): Promise<void> {
  await sql`update installation set namespace = ${namespace}`.execute(store);
}
