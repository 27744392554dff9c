import type { Store } from './open-store.ts';
import type { OutboxTable } from './schema.ts';

/** The oldest starts that are still owed; those behind `after`, when it is given. */
export const pendingStarts = (store: Store, limit: number, after: OutboxTable | undefined): Promise<OutboxTable[]> =>
  store
    .selectFrom('outbox')
    .selectAll()
    .$if(after !== undefined, (query) =>
      query.where((where) =>
        where.eb(
          where.refTuple('created_at', 'workflow_id'),
          '>',
          where.tuple(after?.created_at ?? '', after?.workflow_id ?? ''),
        ),
      ),
    )
    .orderBy('created_at')
    .orderBy('workflow_id')
    .limit(limit)
    .execute();

/** To be called only once Temporal has acknowledged the starts. */
export async function forgetStarts(store: Store, workflowIds: readonly string[]): Promise<void> {
  if (workflowIds.length === 0) return;
  await store.deleteFrom('outbox').where('workflow_id', 'in', workflowIds).execute();
}
