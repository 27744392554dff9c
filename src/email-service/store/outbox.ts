import type { StoreTransaction } from './open-store.ts';

export interface WorkflowToStart {
  readonly workflowType: 'verifyDomain' | 'deliverEmail' | 'deliverWebhook';
  /** Without the installation, which the dispatcher adds. */
  readonly workflowId: string;
  /** Ids only: this ends up in the Event History. */
  readonly input: Readonly<Record<string, string>>;
}

/** Part of the transaction that makes the Workflow necessary; the Workflow Id makes starting it twice harmless. */
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
