import { deliverWebhookId } from '../workflows/workflow-ids.ts';
import type { EventType } from '../resources/event-types.ts';
import { newId } from '../resources/resource-ids.ts';
import type { StoreTransaction } from './open-store.ts';
import { addToOutbox } from './outbox.ts';

export interface EventToRecord {
  readonly accountId: string;
  readonly type: EventType;
  /** The resource as the API shows it after the change. */
  readonly resource: object;
  readonly now: Date;
}

/**
 * Part of the transaction that makes the change: whoever sees the change sees the event, and every subscribed webhook is
 * owed a post. The number is taken from the account's row, so two transactions cannot leave a gap or share one.
 */
export async function recordEvent(transaction: StoreTransaction, event: EventToRecord): Promise<{ eventId: string }> {
  const { accountId, type, now } = event;
  const { last_event_number: number } = await transaction
    .updateTable('accounts')
    .set((column) => ({ last_event_number: column('last_event_number', '+', 1) }))
    .where('id', '=', accountId)
    .returning('last_event_number')
    .executeTakeFirstOrThrow();
  const eventId = newId('evt');
  await transaction
    .insertInto('events')
    .values({
      id: eventId,
      account_id: accountId,
      number,
      type,
      data: JSON.stringify(event.resource),
      created_at: now.toISOString(),
    })
    .execute();
  for (const webhookId of await subscribedWebhooks(transaction, accountId, type)) {
    await oweWebhook(transaction, { eventId, webhookId, now });
  }
  return { eventId };
}

async function subscribedWebhooks(
  transaction: StoreTransaction,
  accountId: string,
  type: EventType,
): Promise<string[]> {
  const webhooks = await transaction
    .selectFrom('webhooks')
    .select(['id', 'events'])
    .where('account_id', '=', accountId)
    .where('disabled_at', 'is', null)
    .where('deleted_at', 'is', null)
    .execute();
  return webhooks
    .filter((webhook) => (JSON.parse(webhook.events) as string[]).includes(type))
    .map((webhook) => webhook.id);
}

async function oweWebhook(
  transaction: StoreTransaction,
  owed: { readonly eventId: string; readonly webhookId: string; readonly now: Date },
): Promise<void> {
  const { eventId, webhookId, now } = owed;
  await transaction
    .insertInto('webhook_deliveries')
    .values({
      event_id: eventId,
      webhook_id: webhookId,
      status: 'pending',
      attempts: 0,
      last_status_code: null,
      last_error: null,
      created_at: now.toISOString(),
      finished_at: null,
    })
    .execute();
  const start = {
    workflowType: 'deliverWebhook',
    workflowId: deliverWebhookId(eventId, webhookId),
    input: { eventId, webhookId },
  } as const;
  await addToOutbox(transaction, start, now);
}
