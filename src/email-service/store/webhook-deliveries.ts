import { inTransaction, sendAhead } from '../../lib/sql/transactions.ts';
import type { Store } from './open-store.ts';
import { deliverWebhookStart, forgetStarts, postponeStart } from './outbox.ts';

/** A delivery with its event and webhook; undefined if the database never had it. */
export const webhookDelivery = (store: Store, eventId: string, webhookId: string) =>
  store
    .selectFrom('webhook_deliveries')
    .innerJoin('events', 'events.id', 'webhook_deliveries.event_id')
    .innerJoin('webhooks', 'webhooks.id', 'webhook_deliveries.webhook_id')
    .select([
      'webhook_deliveries.attempts',
      'webhook_deliveries.status',
      'webhook_deliveries.created_at',
      'events.type',
      'events.created_at as timestamp',
      'events.data',
      'webhooks.url',
      'webhooks.sealed_signing_secret',
      'webhooks.disabled_at',
      'webhooks.deleted_at',
    ])
    .where('webhook_deliveries.event_id', '=', eventId)
    .where('webhook_deliveries.webhook_id', '=', webhookId)
    .executeTakeFirst();

/**
 * Counts an attempt before it is made, so that a Worker that is killed repeatedly does not post without limit. Without a lease:
 * Temporal gives an attempt to one Worker, and the claimed outbox row the first one to one process; a receiver may get an event twice
 * anyway.
 */
export async function countPost(store: Store, eventId: string, webhookId: string): Promise<number> {
  const { attempts } = await store
    .updateTable('webhook_deliveries')
    .set((column) => ({ attempts: column('attempts', '+', 1) }))
    .where('event_id', '=', eventId)
    .where('webhook_id', '=', webhookId)
    .returning('attempts')
    .executeTakeFirstOrThrow();
  return attempts;
}

export interface PostToRecord {
  readonly eventId: string;
  readonly webhookId: string;
  readonly status: 'pending' | 'delivered' | 'failed';
  /** Null if the receiver did not answer. */
  readonly statusCode: number | null;
  /** One sentence; null after a success. */
  readonly error: string | null;
  /** Also disables the webhook. */
  readonly disable: boolean;
  /** When the next post is due, while the status is `pending`; the Workflow keeps it if it has yet to start. */
  readonly retryInMs?: number;
  readonly now: Date;
}

/** The transaction also ends the start of the Workflow, or postpones it. */
export const recordPost = (store: Store, post: PostToRecord): Promise<void> =>
  inTransaction(store, async (transaction) => {
    const at = post.now.toISOString();
    await sendAhead(
      transaction,
      transaction
        .updateTable('webhook_deliveries')
        .set({
          status: post.status,
          last_status_code: post.statusCode,
          last_error: post.error,
          finished_at: post.status === 'pending' ? null : at,
        })
        .where('event_id', '=', post.eventId)
        .where('webhook_id', '=', post.webhookId)
        .where('status', '=', 'pending'),
    );
    const start = deliverWebhookStart(post.eventId, post.webhookId);
    if (post.status !== 'pending') await forgetStarts(transaction, [start.workflowId]);
    else if (post.retryInMs !== undefined) await postponeStart(transaction, start, post.retryInMs);
    if (!post.disable) return;
    await transaction
      .updateTable('webhooks')
      .set({ disabled_at: at })
      .where('id', '=', post.webhookId)
      .where('disabled_at', 'is', null)
      .execute();
  });
