import type { Store } from './open-store.ts';

/** Takes the write lock without changing anything; a database that is full, read-only or gone refuses it. */
export async function provesWritable(store: Store): Promise<boolean> {
  await store.deleteFrom('outbox').where('workflow_id', '=', '').execute();
  return true;
}
