import { sql } from 'kysely';
import { pagesOf } from '../../lib/sql/pages-of.ts';
import type { Store } from './open-store.ts';
import { deliverEmailStart, deliverWebhookStart, verifyDomainStart, type WorkflowToStart } from './outbox.ts';

/** Other writers wait milliseconds for a page of this size. */
const PAGE_ROWS = 500;

type Row = Readonly<Record<string, string>> & { readonly created_at: string };

const pending = [
  {
    ...{ table: 'emails', key: ['id'], only: sql<boolean>`status = 'queued' and held_until is null` },
    start: ({ id = '' }: Row): WorkflowToStart => deliverEmailStart(id),
  },
  {
    ...{ table: 'domains', key: ['id'], only: sql<boolean>`status = 'pending' and deleted_at is null` },
    start: ({ id = '' }: Row): WorkflowToStart => verifyDomainStart(id),
  },
  {
    ...{ table: 'webhook_deliveries', key: ['event_id', 'webhook_id'], only: sql<boolean>`status = 'pending'` },
    start: ({ event_id: eventId = '', webhook_id: webhookId = '' }: Row): WorkflowToStart =>
      deliverWebhookStart(eventId, webhookId),
  },
];

/**
 * Adds the Workflows of everything that has not ended to the outbox, each page in a transaction of its own; repeat it if it was
 * interrupted. Those that run, or have completed, are not started again.
 */
export async function addPendingToOutbox(store: Store): Promise<void> {
  for (const { start, ...rows } of pending) {
    const columns = [...rows.key, 'created_at'];
    for await (const page of pagesOf<Row>(store, { ...rows, columns }, { limit: PAGE_ROWS }))
      await addAll(store, page, start);
  }
}

async function addAll(store: Store, page: readonly Row[], start: (row: Row) => WorkflowToStart): Promise<void> {
  const outbox = page.map((row) => {
    const { workflowId, workflowType, input } = start(row);
    return {
      ...{ workflow_id: workflowId, workflow_type: workflowType },
      ...{ input: JSON.stringify(input), created_at: row.created_at },
    };
  });
  await store
    .insertInto('outbox')
    .values(outbox)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
