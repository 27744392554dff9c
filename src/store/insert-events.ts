import type { Insertable, Kysely } from 'kysely';
import { randomUUID } from 'node:crypto';
import { isNotified, type NewEvent } from '../onboarding/onboarding-events.ts';
import { lockName, sendAhead } from '../lib/sql/transactions.ts';
import type { OnboardingRecord } from '../onboarding/onboarding-record.ts';
import type { Schema } from './database.ts';

/**
 * Adds events of a tenant, in the transaction of the change that they report, as its last writes. Events commit in the order of their
 * ids: a listener that has seen an id has seen all before it.
 */
export async function insertEvents(
  transaction: Kysely<Schema>,
  { tenantId, attemptId }: Pick<OnboardingRecord, 'tenantId' | 'attemptId'>,
  events: readonly NewEvent[],
  { at, notify = false }: { readonly at: string; readonly notify?: boolean },
): Promise<void> {
  if (events.length === 0) return;
  const rows = events.map(({ type, data }): Insertable<Schema['onboarding_events']> => ({
    event_id: `evt_${randomUUID()}`,
    tenant_id: tenantId,
    attempt_id: attemptId,
    type,
    at,
    data: JSON.stringify(data),
    delivery: notify && isNotified(type) ? 'pending' : 'none',
    attempts: 0,
  }));
  // Every writer of events waits for this lock, so it is sent with the commit.
  await lockName(transaction, 'onboarding_events');
  await sendAhead(transaction, transaction.insertInto('onboarding_events').values(rows));
}
