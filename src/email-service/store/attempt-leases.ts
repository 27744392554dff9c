// An attempt belongs to the process that began it while its lease runs, by the clock of the database, which all processes share.
import { sql, type RawBuilder } from 'kysely';
import { databaseNow } from '../../lib/sql/transactions.ts';
import type { Store, StoreTransaction } from './open-store.ts';

/** As long as Temporal waits for a heartbeat, so that the lease of a killed process delays no email. */
const LEASE_MS = 10_000;

/** The end of a lease that begins or is renewed now. */
export const leaseEnd = (store: Store | StoreTransaction): RawBuilder<number> =>
  sql<number>`${databaseNow(store)} + ${sql.lit(LEASE_MS)}`;

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
