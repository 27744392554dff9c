import { sql } from 'kysely';
import type { Store } from './open-store.ts';
import { deliverEmailStart, deliverWebhookStart, verifyDomainStart, type WorkflowToStart } from './outbox.ts';

/** Other writers wait milliseconds for a page of this size. */
const PAGE_ROWS = 500;

interface PendingStart extends WorkflowToStart {
  readonly createdAt: string;
  /** Of its row: where the next page continues. */
  readonly key: readonly [string, string];
}

/** The words of the indexes' conditions, because SQLite compares the text. */
const queued = sql.lit<'queued'>('queued');
const pending = sql.lit<'pending'>('pending');

const pages: readonly ((store: Store, after: PendingStart['key']) => Promise<readonly PendingStart[]>)[] = [
  async (store, [after]) => {
    const rows = store.selectFrom('emails').select(['id', 'created_at']).where('status', '=', queued);
    const page = await rows.where('id', '>', after).orderBy('id').limit(PAGE_ROWS).execute();
    return page.map(({ id, created_at: createdAt }) => ({ ...deliverEmailStart(id), createdAt, key: [id, ''] }));
  },
  async (store, [after]) => {
    const rows = store.selectFrom('domains').select(['id', 'created_at']).where('status', '=', pending);
    const known = rows.where('deleted_at', 'is', null).where('id', '>', after);
    const page = await known.orderBy('id').limit(PAGE_ROWS).execute();
    return page.map(({ id, created_at: createdAt }) => ({ ...verifyDomainStart(id), createdAt, key: [id, ''] }));
  },
  async (store, after) => {
    const page = await store
      .selectFrom('webhook_deliveries')
      .select(['event_id', 'webhook_id', 'created_at'])
      .where('status', '=', pending)
      .where((where) => where.eb(where.refTuple('event_id', 'webhook_id'), '>', where.tuple(...after)))
      .orderBy('event_id')
      .orderBy('webhook_id')
      .limit(PAGE_ROWS)
      .execute();
    return page.map(({ event_id: eventId, webhook_id: webhookId, created_at: createdAt }) => ({
      ...deliverWebhookStart(eventId, webhookId),
      ...{ createdAt, key: [eventId, webhookId] },
    }));
  },
];

/**
 * Adds the Workflows of everything that has not ended to the outbox, each page in a transaction of its own; repeat it if it was
 * interrupted. Those that run, or have completed, are not started again.
 */
export async function addPendingToOutbox(store: Store): Promise<void> {
  for (const readPage of pages) {
    for (let after: PendingStart['key'] | undefined = ['', '']; after !== undefined;) {
      const page: readonly PendingStart[] = await readPage(store, after);
      if (page.length > 0) await addAll(store, page);
      after = page.length < PAGE_ROWS ? undefined : page.at(-1)?.key;
    }
  }
}

async function addAll(store: Store, starts: readonly PendingStart[]): Promise<void> {
  await store
    .insertInto('outbox')
    .values(
      starts.map(({ workflowId, workflowType, input, createdAt }) => ({
        ...{ workflow_id: workflowId, workflow_type: workflowType },
        ...{ input: JSON.stringify(input), created_at: createdAt },
      })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
