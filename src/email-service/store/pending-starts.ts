import type { Store } from './open-store.ts';
import type { OutboxTable } from './schema.ts';

/** The oldest starts that are still owed, without those in `except`. */
export const pendingStarts = (store: Store, limit: number, except: readonly string[]): Promise<OutboxTable[]> =>
  store
    .selectFrom('outbox')
    .selectAll()
    .$if(except.length > 0, (query) => query.where('workflow_id', 'not in', except))
    .orderBy('created_at')
    .limit(limit)
    .execute();

/** To be called only once Temporal has acknowledged the starts. */
export async function forgetStarts(store: Store, workflowIds: readonly string[]): Promise<void> {
  if (workflowIds.length === 0) return;
  await store.deleteFrom('outbox').where('workflow_id', 'in', workflowIds).execute();
}
