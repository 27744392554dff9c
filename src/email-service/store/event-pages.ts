import type { Store } from './open-store.ts';
import type { EventTable } from './schema.ts';

/** The number of one of the account's events. */
export async function findEventNumber(store: Store, accountId: string, id: string): Promise<number | undefined> {
  const row = await store
    .selectFrom('events')
    .select('number')
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return row?.number;
}

/** The account's events after a number, oldest first. */
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
