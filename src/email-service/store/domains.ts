import { inTransaction, sendAhead } from '../../lib/sql/transactions.ts';
import { domainResource, type DomainRecord, type DomainTls } from '../resources/domain.ts';
import type { EventType } from '../resources/event.ts';
import { recordEvent } from './events.ts';
import {
  addFirstAttempts,
  addToOutbox,
  type Commit,
  type FirstAttempt,
  firstCheck,
  forgetStarts,
  postponeStart,
  verifyDomainStart,
} from './outbox.ts';
import type { Store, StoreTransaction } from './open-store.ts';
import type { DomainTable } from './schema.ts';

const domainsOf = (store: Store | StoreTransaction, accountId: string) =>
  store.selectFrom('domains').where('account_id', '=', accountId).where('deleted_at', 'is', null);

export const findDomain = (
  store: Store | StoreTransaction,
  accountId: string,
  id: string,
): Promise<DomainTable | undefined> => domainsOf(store, accountId).selectAll().where('id', '=', id).executeTakeFirst();

/** @param name lower case */
export const findDomainByName = (
  store: Store | StoreTransaction,
  accountId: string,
  name: string,
): Promise<Pick<DomainTable, 'id' | 'status'> | undefined> =>
  domainsOf(store, accountId).select(['id', 'status']).where('name', '=', name).executeTakeFirst();

export async function insertDomain(transaction: StoreTransaction, row: DomainTable): Promise<void> {
  await transaction.insertInto('domains').values(row).execute();
}

/** Deleted domains as well; undefined if the database never had it. */
export const domainToCheck = (store: Store, domainId: string): Promise<DomainTable | undefined> =>
  store.selectFrom('domains').selectAll().where('id', '=', domainId).executeTakeFirst();

/** Undefined if the account has no such domain. */
export const setDomainTls = (
  store: Store,
  { accountId, id, tls }: { readonly accountId: string; readonly id: string; readonly tls: DomainTls },
): Promise<DomainTable | undefined> =>
  store
    .updateTable('domains')
    .set({ tls })
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .where('deleted_at', 'is', null)
    .returningAll()
    .executeTakeFirst();

export interface CheckToRecord extends Commit {
  readonly domainId: string;
  /** The result of the check for the domain as it is now. */
  readonly judge: (before: DomainTable) => JudgedCheck;
  /** When the next check is due, unless the domain is settled; the Workflow keeps it if it has yet to start. */
  readonly retryInMs: number;
}

export interface JudgedCheck {
  readonly change: Partial<Omit<DomainTable, 'id' | 'account_id' | 'name' | 'created_at' | 'deleted_at'>>;
  readonly events: readonly EventType[];
  /** The Workflow need not repeat the check, and the next one can wait for a day. */
  readonly isSettled: boolean;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** The sweep begins a check again whose Workflow should have made it by then: it has ended after 30 days, or was terminated. */
const OVERDUE_MS = HOUR_MS;

/**
 * Stores the result of a check with its event, and ends or postpones the start of its Workflow.
 * @returns `posts`: webhooks to begin after the commit; undefined if the domain was deleted meanwhile
 */
export const recordCheck = (
  store: Store,
  { domainId, judge, retryInMs, now, claimed }: CheckToRecord,
): Promise<{ readonly isSettled: boolean; readonly posts: readonly FirstAttempt[] } | undefined> =>
  inTransaction(store, async (transaction) => {
    const before = await lockDomain(transaction, domainId);
    if (before === undefined) return undefined;
    const { change, events, isSettled } = judge(before);
    const after = { ...before, ...change };
    const nextInMs = isSettled ? DAY_MS : retryInMs + OVERDUE_MS;
    const next_check_at = after.status === 'pending' ? null : new Date(now.getTime() + nextInMs).toISOString();
    await sendAhead(
      transaction,
      transaction
        .updateTable('domains')
        .set({ ...change, next_check_at })
        .where('id', '=', domainId),
    );
    const start = verifyDomainStart(domainId);
    await (isSettled ? forgetStarts(transaction, [start.workflowId]) : postponeStart(transaction, start, retryInMs));
    const posts: FirstAttempt[] = [];
    for (const type of events) {
      const event = { accountId: after.account_id, type, resource: domainResource(after), now, claimed };
      posts.push(...(await recordEvent(transaction, event)).posts);
    }
    return { isSettled, posts };
  });

export interface NextDkimKey extends Pick<DomainTable, 'next_dkim_selector' | 'sealed_next_dkim_private_key'> {
  readonly records: readonly DomainRecord[];
}

/**
 * Adds the key of a rotation and its record, unless a rotation is under way, and the check of the record to the outbox.
 * @returns the domain after it, and whether this call began the rotation; undefined if the domain was deleted
 */
export async function addNextDkimKey(
  transaction: StoreTransaction,
  { domainId, key, now, claimed }: Commit & { readonly domainId: string; readonly key: NextDkimKey },
): Promise<{ readonly domain: DomainTable; readonly isNew: boolean } | undefined> {
  const domain = await lockDomain(transaction, domainId);
  if (domain === undefined) return undefined;
  if (domain.next_dkim_selector !== null || domain.status === 'pending') return { domain, isNew: false };
  const { records, ...next } = key;
  const change = {
    ...next,
    records: JSON.stringify([...(JSON.parse(domain.records) as DomainRecord[]), ...records]),
    // A Workflow that is just ending would not see the rotation.
    next_check_at: new Date(now.getTime() + OVERDUE_MS).toISOString(),
  };
  await sendAhead(transaction, transaction.updateTable('domains').set(change).where('id', '=', domainId));
  await addToOutbox(transaction, [verifyDomainStart(domainId)], now, { claimed });
  return { domain: { ...domain, ...change }, isNew: true };
}

/** Undefined if it was deleted. */
const lockDomain = (transaction: StoreTransaction, domainId: string): Promise<DomainTable | undefined> =>
  transaction
    .selectFrom('domains')
    .selectAll()
    .where('id', '=', domainId)
    .where('deleted_at', 'is', null)
    .forUpdate()
    .executeTakeFirst();

/** Each is a commit: other writers wait for it. */
const DUE_AT_ONCE = 100;

/**
 * Adds the checks of domains that are due to the outbox; each falls due again in an hour, unless a check is recorded before.
 * @param claimed by this process, which makes the first attempt after the commit
 */
export const startDueChecks = (store: Store, now: Date, claimed: boolean): Promise<readonly FirstAttempt[]> =>
  inTransaction(store, async (transaction) => {
    const due = await transaction
      .selectFrom('domains')
      .select(['id', 'account_id', 'name'])
      .where('next_check_at', '<=', now.toISOString())
      .where('deleted_at', 'is', null)
      .orderBy('next_check_at')
      .orderBy('id')
      .limit(DUE_AT_ONCE)
      .forUpdate()
      .skipLocked()
      .execute();
    if (due.length === 0) return [];
    await sendAhead(
      transaction,
      transaction
        .updateTable('domains')
        .set({ next_check_at: new Date(now.getTime() + OVERDUE_MS).toISOString() })
        .where(
          'id',
          'in',
          due.map(({ id }) => id),
        ),
    );
    return addFirstAttempts(transaction, due.map(firstCheck), { now, claimed });
  });
