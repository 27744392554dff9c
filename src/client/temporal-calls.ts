import { type Client, type WorkflowExecutionDescription, WorkflowNotFoundError } from '@temporalio/client';

/** Shorter than the timeouts of webhook senders and of the command line, so that they receive the 503. */
const CALL_TIMEOUT_MS = 5_000;
/** Without a Worker no Query is answered: the rest of the response should not wait longer. */
const QUERY_TIMEOUT_MS = 3_000;

/** A Temporal Client call with a deadline, for an HTTP request that waits for it. */
export const withCallTimeout = <T>(client: Client, call: () => Promise<T>, timeoutMs = CALL_TIMEOUT_MS): Promise<T> =>
  client.withDeadline(Date.now() + timeoutMs, call);

/** Undefined if there was no execution, or the Namespace's retention has deleted it. */
export async function describeExecution(
  client: Client,
  workflowId: string,
  { runId, timeoutMs }: { readonly runId?: string; readonly timeoutMs?: number } = {},
): Promise<WorkflowExecutionDescription | undefined> {
  try {
    return await withCallTimeout(client, () => client.workflow.getHandle(workflowId, runId).describe(), timeoutMs);
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}

/** The answer to a Query; null if it fails, as when no Worker answers in time or the Workflow ended before its first Task. */
export async function queryOrNull<T>(client: Client, query: () => Promise<T>): Promise<T | null> {
  try {
    return await client.withDeadline(Date.now() + QUERY_TIMEOUT_MS, query);
  } catch {
    return null;
  }
}
