import { sql } from 'kysely';
import { pagesOf } from '../../lib/sql/pages-of.ts';
import type { Store } from './open-store.ts';
import {
  deliverEmailStart,
  deliverWebhookStart,
  outboxRow,
  verifyDomainStart,
  type WorkflowToStart,
} from './outbox.ts';

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
      await store
        .insertInto('outbox')
        .values(page.map((row) => outboxRow(start(row), row.created_at)))
        .onConflict((conflict) => conflict.doNothing())
        .execute();
  }
}
