import { inTransaction } from '../../lib/sql/transactions.ts';
import { domainResource, type DomainRecord } from '../resources/domain.ts';
import { EventType } from '../resources/event.ts';
import { recordEvent } from './events.ts';
import { type FirstAttempt, forgetStarts, postponeStart, verifyDomainStart } from './outbox.ts';
import type { Store, StoreTransaction } from './open-store.ts';
import type { DomainTable } from './schema.ts';

export const findDomain = (store: Store, accountId: string, id: string): Promise<DomainTable | undefined> =>
  store
    .selectFrom('domains')
    .selectAll()
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();

/** @param name lower case */
export const findDomainByName = (
  store: Store | StoreTransaction,
  accountId: string,
  name: string,
): Promise<Pick<DomainTable, 'id' | 'status'> | undefined> =>
  store
    .selectFrom('domains')
    .select(['id', 'status'])
    .where('account_id', '=', accountId)
    .where('name', '=', name)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();

export async function insertDomain(transaction: StoreTransaction, row: DomainTable): Promise<void> {
  await transaction.insertInto('domains').values(row).execute();
}

/** Deleted domains as well; undefined if the database never had it. */
export const domainToCheck = (store: Store, domainId: string): Promise<DomainTable | undefined> =>
  store.selectFrom('domains').selectAll().where('id', '=', domainId).executeTakeFirst();

export interface CheckToRecord {
  readonly domainId: string;
  /** Updated by the check. */
  readonly records: readonly DomainRecord[];
  readonly verified: boolean;
  /** When the next check is due, unless the domain is verified; the Workflow keeps it if it has yet to start. */
  readonly retryInMs: number;
  readonly now: Date;
  /** Whether this process makes the first posts of the event. */
  readonly claimed: boolean;
}

/**
 * Stores the result of a check. The first check that finds every required record makes the domain verified and records
 * the event, and ends the start of its Workflow; no later check reverts that.
 * @returns the domain's status, and the webhooks to begin after the commit; undefined if it was deleted meanwhile
 */
export const recordCheck = (
  store: Store,
  check: CheckToRecord,
): Promise<{ readonly status: DomainTable['status']; readonly posts: readonly FirstAttempt[] } | undefined> =>
  inTransaction(store, async (transaction) => {
    const checkedAt = check.now.toISOString();
    const checked = await transaction
      .updateTable('domains')
      .set({ records: JSON.stringify(check.records), last_checked_at: checkedAt })
      .where('id', '=', check.domainId)
      .where('deleted_at', 'is', null)
      .returning('status')
      .executeTakeFirst();
    if (checked === undefined) return undefined;
    const start = verifyDomainStart(check.domainId);
    if (checked.status === 'pending' && !check.verified) {
      await postponeStart(transaction, start, check.retryInMs);
      return { ...checked, posts: [] };
    }
    await forgetStarts(transaction, [start.workflowId]);
    return { status: 'verified', posts: checked.status === 'pending' ? await verify(transaction, check) : [] };
  });

async function verify(
  transaction: StoreTransaction,
  { domainId, now, claimed }: CheckToRecord,
): Promise<readonly FirstAttempt[]> {
  const verified = await transaction
    .updateTable('domains')
    .set({ status: 'verified', verified_at: now.toISOString() })
    .where('id', '=', domainId)
    .where('status', '=', 'pending')
    .returningAll()
    .executeTakeFirst();
  if (verified === undefined) return [];
  const { account_id: accountId } = verified;
  const { posts } = await recordEvent(transaction, {
    accountId,
    type: EventType.domainVerified,
    resource: domainResource(verified),
    now,
    claimed,
  });
  return posts;
}
