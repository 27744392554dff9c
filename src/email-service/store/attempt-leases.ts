// An attempt belongs to the process that began it while its lease runs, by the clock of the database, which all processes share.
import { sql, type RawBuilder } from 'kysely';
import { databaseNow } from '../../lib/sql/transactions.ts';
import type { Store, StoreTransaction } from './open-store.ts';

/** As long as Temporal waits for a heartbeat, so that the lease of a killed process delays no email. */
const LEASE_MS = 10_000;
/** Time that is left at least of a lease that was renewed as it should be, every two seconds. */
const LEFT_MS = 7_000;

/** The end of a lease that begins or is renewed now. */
export const leaseEnd = (store: Store | StoreTransaction): RawBuilder<number> =>
  sql<number>`${databaseNow(store)} + ${sql.lit(LEASE_MS)}`;

/** Whether the lease of the email's attempt was renewed some seconds ago and the email has no final status. Writes nothing. */
export async function holdsLease(store: Store, holder: string, emailId: string): Promise<boolean> {
  const held = await store
    .selectFrom('delivery_attempts')
    .innerJoin('emails', 'emails.id', 'delivery_attempts.email_id')
    .select('delivery_attempts.number')
    .where('delivery_attempts.email_id', '=', emailId)
    .where('delivery_attempts.lease_holder', '=', holder)
    .where('delivery_attempts.outcome', '=', 'started')
    .where('delivery_attempts.lease_until', '>=', sql<number>`${databaseNow(store)} + ${sql.lit(LEFT_MS)}`)
    .where('emails.status', '=', 'queued')
    .executeTakeFirst();
  return held !== undefined;
}

/**
 * Renews the leases of these emails' attempts.
 * @returns the emails whose lease still holds: no other process has taken them over, and none has its final status
 */
export async function renewLeases(
  store: Store,
  holder: string,
  emailIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const renewed = await store
    .updateTable('delivery_attempts')
    .set({ lease_until: leaseEnd(store) })
    .where('email_id', 'in', emailIds)
    .where('lease_holder', '=', holder)
    .where('outcome', '=', 'started')
    .where((where) =>
      where.exists(
        where
          .selectFrom('emails')
          .select('emails.id')
          .whereRef('emails.id', '=', 'delivery_attempts.email_id')
          .where('emails.status', '=', 'queued'),
      ),
    )
    .returning('email_id')
    .execute();
  return new Set(renewed.map(({ email_id: emailId }) => emailId));
}
