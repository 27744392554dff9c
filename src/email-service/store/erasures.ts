// Erases a person from an account: empties what names or describes the recipient of emails, and keeps the rows, so that counts, ids and
// statuses stay true. In slices, each a transaction of milliseconds; a call that was cut off is continued by the next one for the address.
import { sql } from 'kysely';
import { setImmediate as nextLoopTurn } from 'node:timers/promises';
import type { Sealer } from '../../lib/sealing.ts';
import { pagesOf } from '../../lib/sql/pages-of.ts';
import { inTransaction, lockName, sendAhead } from '../../lib/sql/transactions.ts';
import type { Bounce, EmailResource, LateBounce } from '../resources/email.ts';
import {
  ERASED_KINDS,
  ERASED_SUPPRESSION_REASON,
  erasedAttempt,
  erasedBounce,
  type ErasedCounts,
  erasedEmail,
  erasedLateBounce,
} from '../resources/erasure.ts';
import { newId } from '../resources/resource-ids.ts';
import { accountsWhere, readAccount } from './api-keys.ts';
import { deleteUnusedAttachments } from './attachments.ts';
import { accountsOfKeysThatNameIt, eraseKeysThatNameIt, markKeys } from './erased-keys.ts';
import { type ErasureMarks, erasureMarks } from './erasure-marks.ts';
import type { Store, StoreTransaction } from './open-store.ts';
import type { EmailTable, ErasureTable, EventTable } from './schema.ts';
import { countQueuedOthers, eraseSharedContents, noOtherIsQueued } from './shared-contents.ts';
import { suppressedForm } from './suppressions.ts';

/** With their events, milliseconds of work, for which SQLite blocks the event loop and its other writers. */
const SLICE_EMAILS = 20;
const SLICE_EVENTS = 100;
const PAGE_ROWS = 1_000;

export interface RecipientToErase {
  readonly accountId: string;
  readonly recipient: string;
}

export interface ErasureToMake extends RecipientToErase {
  /** The id of an API key, or the name of an operator token. */
  readonly by: string;
  readonly now: () => Date;
}

const toRecipient = ({ accountId, recipient }: RecipientToErase) =>
  sql<boolean>`account_id = ${accountId} and lower(recipient) = ${suppressedForm(recipient)}`;

export interface QueuedEmails {
  /** To the address. */
  readonly own: number;
  /** To other recipients of the same message, whose header has the address. */
  readonly others: number;
}

export async function countQueued(store: Store, asked: RecipientToErase): Promise<QueuedEmails> {
  const queued = { own: 0, others: 0 };
  const rows = { table: 'emails', key: ['id'], columns: ['id', 'status', 'content_id'], only: toRecipient(asked) };
  for await (const page of pagesOf<Pick<EmailTable, 'id' | 'status' | 'content_id'>>(store, rows, {
    limit: PAGE_ROWS,
  })) {
    queued.own += page.filter(({ status }) => status === 'queued').length;
    queued.others += await countQueuedOthers(store, page, asked.recipient);
  }
  return queued;
}

/** All accounts in which the address is found or its erasure was cut off. */
export async function accountsWith(store: Store, sealer: Sealer, recipient: string): Promise<readonly string[]> {
  const form = suppressedForm(recipient);
  const inRows = accountsWhere(
    store,
    sql<boolean>`(
      exists (select 1 from emails where emails.account_id = accounts.id and lower(emails.recipient) = ${form})
      or exists (select 1 from suppressions where suppressions.account_id = accounts.id and suppressions.address = ${form})
      or exists (select 1 from events where events.account_id = accounts.id and events.recipient = ${form}))`,
  );
  const found = new Set<string>();
  for (const accounts of [inRows, accountsThatErase(store, sealer, form), accountsOfKeysThatNameIt(store, recipient)])
    for await (const id of accounts) found.add(id);
  return [...found];
}

async function* accountsThatErase(store: Store, sealer: Sealer, form: string): AsyncGenerator<string> {
  const rows = {
    ...{ table: 'erasures', key: ['account_id', 'id'], columns: ['account_id', 'id', 'address_mark'] },
    only: sql<boolean>`finished_at is null`,
  };
  for await (const page of pagesOf<Pick<ErasureTable, 'account_id' | 'address_mark'>>(store, rows, {
    limit: PAGE_ROWS,
  }))
    for (const { account_id: id, address_mark: mark } of page)
      if (erasureMarks(sealer, await readAccount(store, id)).mark('address', form) === mark) yield id;
}

/** The address must have no queued email. @returns what it erased, with what a call that was cut off had erased before */
export async function eraseRecipient(store: Store, sealer: Sealer, asked: ErasureToMake): Promise<ErasedCounts> {
  const marks = erasureMarks(sealer, await readAccount(store, asked.accountId));
  const erasure: Erasure = { ...asked, marks, id: await beginErasure(store, asked, marks) };
  for (let after: string | undefined = ''; after !== undefined;) {
    after = await eraseEmails(store, erasure, after);
    await nextLoopTurn();
  }
  while (await eraseLeftEvents(store, erasure)) await nextLoopTurn();
  await eraseKeysThatNameIt(store, erasure, (transaction, count) =>
    addCounts(transaction, erasure, { idempotency_keys: count }),
  );
  return finish(store, erasure);
}

interface Erasure extends ErasureToMake {
  readonly id: string;
  readonly marks: ErasureMarks;
}

/** @returns the id of a new erasure, or of the one for this address that was cut off */
const beginErasure = (
  store: Store,
  { accountId, recipient, by, now }: ErasureToMake,
  marks: ErasureMarks,
): Promise<string> =>
  inTransaction(store, async (transaction) => {
    const mark = marks.mark('address', suppressedForm(recipient));
    await lockName(transaction, `erasure/${accountId}/${mark}`);
    const unfinished = await transaction
      .selectFrom('erasures')
      .select('id')
      .where('account_id', '=', accountId)
      .where('address_mark', '=', mark)
      .where('finished_at', 'is', null)
      .executeTakeFirst();
    if (unfinished !== undefined) return unfinished.id;
    const id = newId('ers');
    const row = { id, account_id: accountId, address_mark: mark, requested_by: by, requested_at: now().toISOString() };
    await transaction.insertInto('erasures').values(row).execute();
    return id;
  });

type Kept =
  | 'id'
  | 'account_id'
  | 'sender_id'
  | 'content_id'
  | 'role'
  | 'request_id'
  | 'status'
  | 'message_id'
  | 'created_at'
  | 'scheduled_at'
  | 'held_until'
  | 'counted_at'
  | 'expires_at'
  | 'delivered_at'
  | 'complaint'
  | 'content_erased_at'
  | 'erased_at';

/** The compiler asks about each new column. */
const EMPTY: Omit<EmailTable, Kept> = {
  recipient: '',
  recipient_domain: '',
  subject: '',
  body: '',
  html: null,
  headers: '{}',
  attachments: null,
  metadata: '{}',
  tags: '[]',
  signed_message: null,
  bounce: null,
  suppression_override: null,
  late_bounce: null,
};

/** @param after the id of the last email of the slice before @returns that of this one; undefined after the last slice */
const eraseEmails = (store: Store, erasure: Erasure, after: string): Promise<string | undefined> =>
  inTransaction(store, async (transaction) => {
    // Of two recipients of the same messages, each slice would lock its own emails and then those of the other.
    await lockName(transaction, `erasure/${erasure.accountId}`);
    const emails = await transaction
      .selectFrom('emails')
      .select(['id', 'content_id', 'attachments', 'request_id', 'bounce', 'late_bounce'])
      .where(toRecipient(erasure))
      .where('status', '<>', 'queued')
      .where(noOtherIsQueued)
      // PostgreSQL would read the index entries of all slices before.
      .where('id', '>', after)
      .orderBy('id')
      .limit(SLICE_EMAILS)
      .forUpdate()
      .execute();
    if (emails.length === 0) return undefined;
    const ids = emails.map(({ id }) => id);
    const at = erasure.now().toISOString();
    await sendAhead(
      transaction,
      transaction
        .updateTable('emails')
        .set((email) => ({
          ...EMPTY,
          content_erased_at: email.fn.coalesce('content_erased_at', email.val(at)),
          erased_at: at,
        }))
        .where('id', 'in', ids),
    );
    for (const { id, bounce, late_bounce: lateBounce } of emails) {
      if (bounce === null && lateBounce === null) continue;
      const change = {
        bounce: bounce === null ? null : JSON.stringify(erasedBounce(JSON.parse(bounce) as Bounce)),
        late_bounce:
          lateBounce === null ? null : JSON.stringify(erasedLateBounce(JSON.parse(lateBounce) as LateBounce)),
      };
      await sendAhead(transaction, transaction.updateTable('emails').set(change).where('id', '=', id));
    }
    await eraseSharedContents(transaction, ids, at);
    const attached = emails.filter(({ attachments }) => attachments !== null);
    if (attached.length > 0) await deleteUnusedAttachments(transaction, attached);
    const attempts = await transaction
      .updateTable('delivery_attempts')
      .set(erasedAttempt)
      .where('email_id', 'in', ids)
      .executeTakeFirst();
    await sendAhead(transaction, transaction.deleteFrom('email_tags').where('email_id', 'in', ids));
    const events = await transaction.selectFrom('events').select(['id', 'data']).where('email_id', 'in', ids).execute();
    await eraseEvents(transaction, events, at);
    const requests = emails.flatMap(({ request_id: id }) => (id === null ? [] : [id]));
    // A request with such a key waits for this row and holds no other one.
    const keys = await transaction
      .selectFrom('idempotency_keys')
      .select(['owner', 'key', 'fingerprint'])
      .where('email_id', 'in', [...new Set([...ids, ...requests])])
      .execute();
    const marked = await markKeys(transaction, keys, erasure.marks);
    const counts = {
      emails: ids.length,
      attempts: Number(attempts.numUpdatedRows),
      events: events.length,
      idempotency_keys: marked,
    };
    await addCounts(transaction, erasure, counts);
    return ids.length < SLICE_EMAILS ? undefined : ids.at(-1);
  });

/** Of emails that the retention has removed. @returns whether there may be more */
const eraseLeftEvents = (store: Store, erasure: Erasure): Promise<boolean> =>
  inTransaction(store, async (transaction) => {
    await lockName(transaction, `erasure/${erasure.accountId}`);
    const events = await transaction
      .selectFrom('events')
      .select(['id', 'data'])
      .where('account_id', '=', erasure.accountId)
      .where('recipient', '=', suppressedForm(erasure.recipient))
      .limit(SLICE_EVENTS)
      .execute();
    await eraseEvents(transaction, events, erasure.now().toISOString());
    await addCounts(transaction, erasure, { events: events.length });
    return events.length === SLICE_EVENTS;
  });

async function eraseEvents(
  transaction: StoreTransaction,
  events: readonly Pick<EventTable, 'id' | 'data'>[],
  at: string,
): Promise<void> {
  for (const { id, data } of events) {
    const erased = JSON.stringify(erasedEmail(JSON.parse(data) as EmailResource, at));
    await sendAhead(
      transaction,
      transaction.updateTable('events').set({ data: erased, recipient: null }).where('id', '=', id),
    );
  }
}

const finish = (store: Store, erasure: Erasure): Promise<ErasedCounts> =>
  inTransaction(store, async (transaction) => {
    const suppressions = await markSuppression(transaction, erasure);
    await addCounts(transaction, erasure, { suppressions });
    return transaction
      .updateTable('erasures')
      .set({ finished_at: erasure.now().toISOString() })
      .where('id', '=', erasure.id)
      .returning(ERASED_KINDS)
      .executeTakeFirstOrThrow();
  });

/** @returns how many entries named the address */
async function markSuppression(
  transaction: StoreTransaction,
  { accountId, recipient, marks }: Erasure,
): Promise<number> {
  const form = suppressedForm(recipient);
  const mark = marks.mark('address', form);
  const listed = await transaction
    .selectFrom('suppressions')
    .select(['id', 'address'])
    .where('account_id', '=', accountId)
    .where('address', 'in', [form, mark])
    .forUpdate()
    .execute();
  const named = listed.find(({ address }) => address === form);
  if (named === undefined) return 0;
  await (listed.length > 1
    ? transaction.deleteFrom('suppressions').where('id', '=', named.id).execute()
    : transaction
        .updateTable('suppressions')
        .set({ address: mark, reason: ERASED_SUPPRESSION_REASON })
        .where('id', '=', named.id)
        .execute());
  return 1;
}

async function addCounts(
  transaction: StoreTransaction,
  { id }: Pick<Erasure, 'id'>,
  counts: Partial<ErasedCounts>,
): Promise<void> {
  if (ERASED_KINDS.every((kind) => (counts[kind] ?? 0) === 0)) return;
  await sendAhead(
    transaction,
    transaction
      .updateTable('erasures')
      .set((column) =>
        Object.fromEntries(
          ERASED_KINDS.flatMap((kind) => {
            const count = counts[kind] ?? 0;
            return count === 0 ? [] : [[kind, column(kind, '+', count)]];
          }),
        ),
      )
      .where('id', '=', id),
  );
}
