// The accounts, and the resources of one, a page at a time. Ids sort by creation, so the next page continues after the last id,
// whatever was created or deleted in between.
import { withNormalDomain } from '../../lib/mail-rules/mail-address-fault.ts';
import { inSnapshot } from '../../lib/sql/transactions.ts';
import { type SelectQueryBuilder, sql } from 'kysely';
import type { AccountStatus } from '../resources/account.ts';
import { firstIdAt } from '../resources/resource-ids.ts';
import type { Store, StoreTransaction } from './open-store.ts';
import { type ReadableEmails, sentFrom } from './emails.ts';
import {
  type Account,
  type DeliveryAttemptTable,
  type EmailSummary,
  type EmailTable,
  type Schema,
  summaryColumns,
} from './schema.ts';

export interface PageRequest {
  readonly accountId: string;
  /** The last id of the previous page; empty for the first page. */
  readonly afterId: string;
  /** One more row is read, which shows whether there is a next page. */
  readonly limit: number;
}

/** @param status undefined for all */
export const readAccounts = (
  store: Store,
  { afterId, limit }: Omit<PageRequest, 'accountId'>,
  status: AccountStatus | undefined,
): Promise<readonly Account[]> =>
  store
    .selectFrom('accounts')
    .selectAll()
    .$if(status !== undefined, (query) => query.where('paused_at', status === 'paused' ? 'is not' : 'is', null))
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(limit + 1)
    .execute();

export const readApiKeys = (store: Store, asked: PageRequest, withRevoked: boolean) =>
  readPage(
    store
      .selectFrom('api_keys')
      .selectAll()
      .$if(!withRevoked, (query) => query.where('revoked_at', 'is', null)),
    asked,
  );

/** @param name lower case; undefined for all */
export const readDomains = (store: Store, asked: PageRequest, name: string | undefined) =>
  readPage(
    store
      .selectFrom('domains')
      .selectAll()
      .where('deleted_at', 'is', null)
      .$if(name !== undefined, (query) => query.where('name', '=', name ?? '')),
    asked,
  );

export const readSenders = (store: Store, asked: PageRequest) =>
  readPage(store.selectFrom('senders').selectAll().where('deleted_at', 'is', null), asked);

export const readWebhooks = (store: Store, asked: PageRequest) =>
  readPage(store.selectFrom('webhooks').selectAll().where('deleted_at', 'is', null), asked);

export const readSuppressions = (store: Store, asked: PageRequest) =>
  readPage(store.selectFrom('suppressions').selectAll(), asked);

/** @param mark of an address; undefined for all */
export const readErasures = (store: Store, asked: PageRequest, mark: string | undefined) =>
  readPage(
    store
      .selectFrom('erasures')
      .selectAll()
      .$if(mark !== undefined, (query) => query.where('address_mark', '=', mark ?? '')),
    asked,
  );

export interface EmailWithAttempts {
  readonly id: string;
  readonly email: EmailSummary;
  readonly attempts: readonly DeliveryAttemptTable[];
}

/** All that are given must hold. */
export interface EmailFilters extends Pick<ReadableEmails, 'domainId'> {
  readonly status?: EmailTable['status'] | undefined;
  /** In any case. */
  readonly recipient?: string | undefined;
  /** The domain of the recipient, in any case. */
  readonly domain?: string | undefined;
  readonly tag?: string | undefined;
  /** Created at this time or later. */
  readonly from?: Date | undefined;
  /** Created before this time. */
  readonly to?: Date | undefined;
}

/** An id is made before `created_at` is written: the ids of a period begin and end this close to it. */
const ID_BEFORE_ROW_MS = 1_000;

/** In one snapshot, so that no status contradicts its attempts. */
export function readEmails(
  store: Store,
  asked: PageRequest,
  { domainId, status, recipient, domain, tag, from, to }: EmailFilters,
): Promise<readonly EmailWithAttempts[]> {
  const fromId = from === undefined ? '' : firstIdAt('eml', from, -ID_BEFORE_ROW_MS);
  // One person's emails, or those that wait, are fewer than those with a tag may be.
  const isFew = recipient !== undefined || status === 'queued';
  return inSnapshot(store, async (transaction) => {
    const emails = await readPage(
      byTag(transaction, tag === undefined || isFew ? undefined : { tag, accountId: asked.accountId })
        .select(summaryColumns.map((column) => `emails.${column}` as const))
        .$if(status !== undefined, (query) => query.where('status', '=', status ?? 'queued'))
        .where((row) =>
          row.and([
            ...(domainId === undefined ? [] : [sentFrom(domainId)]),
            ...(recipient === undefined
              ? []
              : [sql<boolean>`lower(recipient) = ${withNormalDomain(recipient).toLowerCase()}`]),
            ...(domain === undefined ? [] : [row('recipient_domain', '=', domain.toLowerCase())]),
            ...(tag === undefined || !isFew ? [] : [hasTag(tag)]),
            ...(from === undefined ? [] : [row('created_at', '>=', from.toISOString())]),
            ...(to === undefined ? [] : [row('created_at', '<', to.toISOString())]),
          ]),
        ),
      {
        ...asked,
        afterId: fromId > asked.afterId ? fromId : asked.afterId,
        ids: tag === undefined || isFew ? ['emails.id'] : ['email_tags.email_id', 'emails.id'],
        beforeId: to === undefined ? undefined : firstIdAt('eml', to, ID_BEFORE_ROW_MS),
      },
    );
    if (emails.length === 0) return [];
    const attempts = await transaction
      .selectFrom('delivery_attempts')
      .selectAll()
      .where(
        'email_id',
        'in',
        emails.map(({ id }) => id),
      )
      .execute();
    return emails.map((email) => ({
      id: email.id,
      email,
      attempts: attempts.filter((attempt) => attempt.email_id === email.id),
    }));
  });
}

/** The emails, found by the tag if there is one. A cross join keeps SQLite from reading all emails of the account in their order. */
const byTag = (
  transaction: StoreTransaction,
  tagged: { readonly tag: string; readonly accountId: string } | undefined,
): SelectQueryBuilder<Schema, 'emails', object> =>
  tagged === undefined
    ? transaction.selectFrom('emails')
    : transaction
        .selectFrom('email_tags')
        .crossJoin('emails')
        .whereRef('emails.id', '=', 'email_tags.email_id')
        .where('email_tags.account_id', '=', tagged.accountId)
        .where('email_tags.tag', '=', tagged.tag);

const hasTag = (tag: string) =>
  sql<boolean>`exists (select 1 from email_tags where email_tags.email_id = emails.id and email_tags.tag = ${tag})`;

interface Reading {
  readonly beforeId?: string | undefined;
  /** The first gives the order. Each has the bounds: PostgreSQL may merge two indexes, and reads one without bounds from its beginning. */
  readonly ids?: readonly ['id'] | readonly ['emails.id'] | readonly ['email_tags.email_id', 'emails.id'];
}

type ListedTable = 'api_keys' | 'domains' | 'senders' | 'emails' | 'webhooks' | 'suppressions' | 'erasures';

const readPage = <Row>(
  query: SelectQueryBuilder<Schema, ListedTable, Row>,
  { accountId, afterId, beforeId, limit, ids = ['id'] }: PageRequest & Reading,
) =>
  query
    .where(sql.ref<string>(ids[0] === 'id' ? 'account_id' : 'emails.account_id'), '=', accountId)
    .where((row) =>
      row.and(
        ids.map((id) =>
          beforeId === undefined
            ? row(sql.ref<string>(id), '>', afterId)
            : // With two comparisons, SQLite no longer prefers the index of a filter. `0`: after that id and before any other.
              row.between(sql.ref<string>(id), `${afterId}0`, beforeId),
        ),
      ),
    )
    .orderBy(sql.ref(ids[0]))
    .limit(limit + 1)
    .execute();
