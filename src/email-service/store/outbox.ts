// What makes a Workflow necessary commits an outbox row with it. The process that commits the row makes the first attempt, whose end deletes the
// row, or the dispatcher starts the Workflow and deletes it; what a crash leaves, the sweep starts. Emails of paused accounts are held here.
import { type RawBuilder, sql } from 'kysely';
import { splitAddress } from '../../lib/mail-rules/mail-address-fault.ts';
import { databaseNow, databaseTime, sendAhead } from '../../lib/sql/transactions.ts';
import type { Store, StoreTransaction } from './open-store.ts';
import type { DomainTable, EmailTable, OutboxTable } from './schema.ts';

export interface WorkflowToStart {
  readonly workflowType: 'verifyDomain' | 'deliverEmail' | 'deliverWebhook';
  /** Without the installation id, which the dispatcher adds. */
  readonly workflowId: string;
  /** Only ids: the Event History stores it. */
  readonly input: Readonly<Record<string, string>>;
}

/** Work that was just committed, with what its first attempt shares with others. */
export interface FirstAttempt {
  readonly start: WorkflowToStart;
  readonly accountId: string;
  /** The domain or host that the attempt waits for. */
  readonly destination: string;
}

/** When a transaction writes, and whether the process that commits it makes the first attempts at what it adds to the outbox. */
export interface Commit {
  readonly now: Date;
  readonly claimed: boolean;
}

/** Starts the work of committed outbox rows. */
export interface OutboxStarter {
  /** Whether this process makes first attempts, so that it commits their outbox rows claimed. */
  readonly makesFirstAttempts: boolean;
  /**
   * Call it after the commit of an outbox row: makes the first attempt in this process, or starts the Workflow. Returns at once and
   * never throws: the row stays until the work has ended or its Workflow has started.
   */
  readonly begin: (attempt: FirstAttempt) => void;
}

export const verifyDomainStart = (domainId: string): WorkflowToStart => ({
  workflowType: 'verifyDomain',
  workflowId: `verify-domain/${domainId}`,
  input: { domainId },
});

const DELIVER_EMAIL = 'deliver-email/';

export const deliverEmailStart = (emailId: string): WorkflowToStart => ({
  workflowType: 'deliverEmail',
  workflowId: DELIVER_EMAIL + emailId,
  input: { emailId },
});

/** Of a domain whose records are to be checked. */
export const firstCheck = (domain: Pick<DomainTable, 'id' | 'account_id' | 'name'>): FirstAttempt => ({
  start: verifyDomainStart(domain.id),
  accountId: domain.account_id,
  destination: domain.name,
});

/** Of an email that is to leave now. */
export const firstDelivery = (email: Pick<EmailTable, 'id' | 'account_id' | 'recipient'>): FirstAttempt => ({
  start: deliverEmailStart(email.id),
  accountId: email.account_id,
  destination: splitAddress(email.recipient).domain,
});

export const deliverWebhookStart = (eventId: string, webhookId: string): WorkflowToStart => ({
  workflowType: 'deliverWebhook',
  workflowId: `deliver-webhook/${eventId}/${webhookId}`,
  input: { eventId, webhookId },
});

/**
 * Call it in the transaction that makes the Workflows necessary. The Workflow Id makes a second start harmless.
 * @param claimed by this process, which makes the first attempts after the commit
 */
export async function addToOutbox(
  transaction: StoreTransaction,
  starts: readonly WorkflowToStart[],
  now: Date,
  { claimed = false }: { readonly claimed?: boolean } = {},
): Promise<void> {
  const rows = starts.map((start) => ({
    ...outboxRow(start, now.toISOString()),
    claimed_until: claimed ? claimEnd(transaction) : null,
  }));
  if (rows.length === 0) return;
  await sendAhead(
    transaction,
    transaction
      .insertInto('outbox')
      .values(rows)
      .onConflict((conflict) => conflict.doNothing()),
  );
}

export const outboxRow = ({ workflowId, workflowType, input }: WorkflowToStart, createdAt: string) => ({
  ...{ workflow_id: workflowId, workflow_type: workflowType },
  ...{ input: JSON.stringify(input), created_at: createdAt },
});

/** As `addToOutbox`. @returns the attempts, to begin after the commit */
export async function addFirstAttempts(
  transaction: StoreTransaction,
  attempts: readonly FirstAttempt[],
  commit: Commit,
): Promise<readonly FirstAttempt[]> {
  const starts = attempts.map(({ start }) => start);
  await addToOutbox(transaction, starts, commit.now, commit);
  return attempts;
}

/**
 * Longer than a round of starts. The claim only saves work: the Workflow Id makes a second start harmless, and the lease of an
 * attempt a Workflow that starts during it.
 */
const CLAIM_MS = 10_000;

const claimEnd = (store: Store | StoreTransaction): RawBuilder<number> =>
  sql<number>`${databaseNow(store)} + ${sql.lit(CLAIM_MS)}`;

/** `due_in_ms`: how long the Workflow must wait before its first attempt, at least 0. */
export type ClaimedStart = OutboxTable & { readonly due_in_ms: number };

/** Claims the oldest starts that no process has claimed, so that others start the rows behind them. */
export function claimStarts(store: Store, limit: number): Promise<readonly ClaimedStart[]> {
  const now = databaseNow(store);
  return store
    .with(
      // Materialized: PostgreSQL could otherwise run it more than once, and claim other rows each time.
      (cte) => cte('oldest').materialized(),
      (database) =>
        database
          .selectFrom('outbox')
          .select('workflow_id')
          .where((where) => where.or([where('claimed_until', 'is', null), where('claimed_until', '<=', now)]))
          .orderBy('created_at')
          .orderBy('workflow_id')
          .limit(limit)
          .forUpdate()
          .skipLocked(),
    )
    .updateTable('outbox')
    .set({ claimed_until: claimEnd(store) })
    .where('workflow_id', 'in', (where) => where.selectFrom('oldest').select('oldest.workflow_id'))
    .returningAll()
    .returning(sql<number>`case when not_before > ${now} then not_before - ${now} else 0 end`.as('due_in_ms'))
    .execute();
}

/** Claims them for longer. @returns those that are still in the outbox */
export async function renewClaims(store: Store, workflowIds: readonly string[]): Promise<ReadonlySet<string>> {
  if (workflowIds.length === 0) return new Set();
  const renewed = await store
    .updateTable('outbox')
    .set({ claimed_until: claimEnd(store) })
    .where('workflow_id', 'in', workflowIds)
    .returning('workflow_id')
    .execute();
  return new Set(renewed.map((row) => row.workflow_id));
}

/** Call it in the transaction that records the attempt. Does nothing once the Workflow runs, which keeps the pause itself. */
export async function postponeStart(
  transaction: StoreTransaction,
  { workflowId }: WorkflowToStart,
  delayMs: number,
): Promise<void> {
  await sendAhead(
    transaction,
    transaction
      .updateTable('outbox')
      .set({ not_before: sql<number>`${databaseNow(transaction)} + ${Math.round(delayMs)}` })
      .where('workflow_id', '=', workflowId),
  );
}

/** A resume takes up to that long to reach an email. */
const HOLD_MAX_MS = 4 * 60_000;

/**
 * Lets any process claim some of the starts only after minutes, each time another number of them, so that few are due together: those of
 * emails that wait for nothing but the resume of their accounts. One that expires in that time, or that its next attempt ends without a
 * session, is not among them.
 * @returns the ids of those that it holds
 */
export async function holdPaused(store: Store, workflowIds: readonly string[]): Promise<ReadonlySet<string>> {
  const emailIds = workflowIds.filter((id) => id.startsWith(DELIVER_EMAIL)).map((id) => id.slice(DELIVER_EMAIL.length));
  if (emailIds.length === 0) return new Set();
  const paused = await store
    .selectFrom('emails')
    .innerJoin('accounts', 'accounts.id', 'emails.account_id')
    .select('emails.id')
    .where('emails.id', 'in', emailIds)
    .where('accounts.paused_at', 'is not', null)
    .where('emails.status', '=', 'queued')
    .where('emails.expires_at', '>', new Date(Date.now() + HOLD_MAX_MS).toISOString())
    .where(waitsForNothingElse)
    .execute();
  if (paused.length === 0) return new Set();
  const held = paused.map(({ id }) => DELIVER_EMAIL + id);
  const forMs = Math.round(Math.random() * HOLD_MAX_MS);
  const until = (await databaseTime(store)).getTime() + forMs;
  await store
    .updateTable('outbox')
    .set({ claimed_until: until, created_at: new Date(until).toISOString() })
    .where('workflow_id', 'in', held)
    .execute();
  return new Set(held);
}

/** Its recipient is not suppressed, and no attempt has an answer that is not recorded. What an erasure leaves in the list, SQL cannot compare. */
const waitsForNothingElse = sql<boolean>`
  not exists (select 1 from delivery_attempts where email_id = emails.id and outcome = 'started')
  and not exists (select 1 from erasures where erasures.account_id = emails.account_id)
  and (suppression_override is not null or not exists (
    select 1 from suppressions where suppressions.account_id = emails.account_id and address = lower(emails.recipient)))`;

/** Lets any process claim them at once. */
export async function releaseStarts(store: Store, workflowIds: readonly string[]): Promise<void> {
  if (workflowIds.length === 0) return;
  await store.updateTable('outbox').set({ claimed_until: null }).where('workflow_id', 'in', workflowIds).execute();
}

/** Call it only after Temporal has acknowledged the starts, or in the transaction that ends the work. */
export async function forgetStarts(store: Store | StoreTransaction, workflowIds: readonly string[]): Promise<void> {
  if (workflowIds.length === 0) return;
  await sendAhead(store, store.deleteFrom('outbox').where('workflow_id', 'in', workflowIds));
}

export interface OutboxSize {
  /** At most `ROWS_COUNTED_MAX`. */
  readonly rows: number;
  /** RFC 3339 UTC; undefined if it is empty. */
  readonly oldestAt: string | undefined;
}

/** So that the count takes milliseconds whatever waits. */
export const ROWS_COUNTED_MAX = 100_000;

export async function outboxSize(store: Store): Promise<OutboxSize> {
  const { rows } = await sql<{ rows: number | string; oldest: string | null }>`
    select (select count(*) from (select 1 from outbox limit ${sql.lit(ROWS_COUNTED_MAX)}) as matches) as "rows",
      (select created_at from outbox order by created_at, workflow_id limit 1) as oldest`.execute(store);
  const [row] = rows;
  return { rows: Number(row?.rows ?? 0), oldestAt: row?.oldest ?? undefined };
}
