import { sendAhead } from '../../lib/sql/transactions.ts';
import type { EventType } from '../resources/event.ts';
import { newId } from '../resources/resource-ids.ts';
import type { Store, StoreTransaction } from './open-store.ts';
import { addToOutbox, type Commit, deliverWebhookStart, type FirstAttempt } from './outbox.ts';
import type { EventTable } from './schema.ts';

export interface EventToRecord extends Commit {
  readonly accountId: string;
  readonly type: EventType;
  /** The ID of the email that the event is about, if any. */
  readonly emailId?: string;
  /** The resource as the API shows it after the change. */
  readonly resource: object;
}

/**
 * Call it in the transaction that makes the change, so that the change, its event and the webhook deliveries commit
 * together. The number comes from the account's row, so two transactions cannot leave a gap or share a number.
 *
 * @param known the account's webhooks, read before the first of several events: the others would wait for the query with the account's lock
 * @returns `posts`: to begin after the commit
 */
export async function recordEvent(
  transaction: StoreTransaction,
  event: EventToRecord,
  known?: readonly ActiveWebhook[],
): Promise<{ readonly eventId: string; readonly posts: readonly FirstAttempt[] }> {
  const { accountId, type, now, claimed } = event;
  const webhooks = known ?? (await activeWebhooks(transaction, accountId));
  // Every event of the account waits for this lock, so the rest is sent with the commit.
  await sendAhead(
    transaction,
    transaction
      .updateTable('accounts')
      .set((column) => ({ last_event_number: column('last_event_number', '+', 1) }))
      .where('id', '=', accountId),
  );
  const eventId = newId('evt');
  await sendAhead(
    transaction,
    transaction.insertInto('events').values((row) => ({
      id: eventId,
      account_id: accountId,
      number: row.selectFrom('accounts').select('last_event_number').where('id', '=', accountId),
      type,
      email_id: event.emailId ?? null,
      data: JSON.stringify(event.resource),
      created_at: now.toISOString(),
    })),
  );
  const posts: FirstAttempt[] = [];
  for (const { id: webhookId, url, events } of webhooks) {
    if (!events.includes(type)) continue;
    const ids = { event_id: eventId, webhook_id: webhookId };
    const delivery = { ...ids, status: 'pending', attempts: 0, created_at: now.toISOString() } as const;
    await sendAhead(transaction, transaction.insertInto('webhook_deliveries').values(delivery));
    const start = deliverWebhookStart(eventId, webhookId);
    await addToOutbox(transaction, [start], now, { claimed });
    posts.push({ start, accountId, destination: new URL(url).host });
  }
  return { eventId, posts };
}

interface ActiveWebhook {
  readonly id: string;
  readonly url: string;
  readonly events: readonly string[];
}

export async function activeWebhooks(
  transaction: StoreTransaction,
  accountId: string,
): Promise<readonly ActiveWebhook[]> {
  const webhooks = await transaction
    .selectFrom('webhooks')
    .select(['id', 'url', 'events'])
    .where('account_id', '=', accountId)
    .where('disabled_at', 'is', null)
    .where('deleted_at', 'is', null)
    .execute();
  return webhooks.map((webhook) => ({ ...webhook, events: JSON.parse(webhook.events) as string[] }));
}

export async function findEventNumber(store: Store, accountId: string, id: string): Promise<number | undefined> {
  const row = await store
    .selectFrom('events')
    .select('number')
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return row?.number;
}

/** The account's events after the one with this number, oldest first. */
export const readEventsAfter = (
  store: Store,
  accountId: string,
  number: number,
  limit: number,
): Promise<readonly EventTable[]> =>
  store
    .selectFrom('events')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('number', '>', number)
    .orderBy('number')
    .limit(limit)
    .execute();
