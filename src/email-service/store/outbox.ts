import { sql } from 'kysely';
import { databaseNow } from '../../lib/sql/transactions.ts';
import type { Store, StoreTransaction } from './open-store.ts';
import type { OutboxTable } from './schema.ts';

export interface WorkflowToStart {
  readonly workflowType: 'verifyDomain' | 'deliverEmail' | 'deliverWebhook';
  /** Without the installation id, which the dispatcher adds. */
  readonly workflowId: string;
  /** Only ids: the Event History stores it. */
  readonly input: Readonly<Record<string, string>>;
}

export const verifyDomainStart = (domainId: string): WorkflowToStart => ({
  workflowType: 'verifyDomain',
  workflowId: `verify-domain/${domainId}`,
  input: { domainId },
});

export const deliverEmailStart = (emailId: string): WorkflowToStart => ({
  workflowType: 'deliverEmail',
  workflowId: `deliver-email/${emailId}`,
  input: { emailId },
});

export const deliverWebhookStart = (eventId: string, webhookId: string): WorkflowToStart => ({
  workflowType: 'deliverWebhook',
  workflowId: `deliver-webhook/${eventId}/${webhookId}`,
  input: { eventId, webhookId },
});

/** Call it in the transaction that makes the Workflow necessary. The Workflow Id makes a second start harmless. */
export async function addToOutbox(transaction: StoreTransaction, start: WorkflowToStart, now: Date): Promise<void> {
  await transaction
    .insertInto('outbox')
    .values({
      workflow_id: start.workflowId,
      workflow_type: start.workflowType,
      input: JSON.stringify(start.input),
      created_at: now.toISOString(),
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Adds the Workflows of everything that has not ended. Those that run, or have completed, are not started again. */
export async function addPendingToOutbox(transaction: StoreTransaction): Promise<void> {
  await sql`
    insert into outbox (workflow_id, workflow_type, input, created_at)
    select 'deliver-email/' || id, 'deliverEmail', '{"emailId":"' || id || '"}', created_at
      from emails where status = 'queued'
    union all
    select 'verify-domain/' || id, 'verifyDomain', '{"domainId":"' || id || '"}', created_at
      from domains where status = 'pending' and deleted_at is null
    union all
    select 'deliver-webhook/' || event_id || '/' || webhook_id, 'deliverWebhook',
           '{"eventId":"' || event_id || '","webhookId":"' || webhook_id || '"}', created_at
      from webhook_deliveries where status = 'pending'
    on conflict do nothing`.execute(transaction);
}

/** Longer than a round of starts. The claim only saves work: the Workflow Id makes a second start harmless. */
const CLAIM_MS = 10_000;

/** Claims the oldest starts that no process has claimed, so that others start the rows behind them. */
export function claimStarts(store: Store, limit: number): Promise<readonly OutboxTable[]> {
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
    .set({ claimed_until: sql<number>`${now} + ${sql.lit(CLAIM_MS)}` })
    .where('workflow_id', 'in', (where) => where.selectFrom('oldest').select('oldest.workflow_id'))
    .returningAll()
    .execute();
}

/** Lets any process claim them at once. */
export async function releaseStarts(store: Store, workflowIds: readonly string[]): Promise<void> {
  if (workflowIds.length === 0) return;
  await store.updateTable('outbox').set({ claimed_until: null }).where('workflow_id', 'in', workflowIds).execute();
}

/** Call it only after Temporal has acknowledged the starts. */
export async function forgetStarts(store: Store, workflowIds: readonly string[]): Promise<void> {
  if (workflowIds.length === 0) return;
  await store.deleteFrom('outbox').where('workflow_id', 'in', workflowIds).execute();
}
