import type { Client } from '@temporalio/client';

/** Shorter than the patience of a provider's webhook and of the command line, so that they see the 503. */
const CALL_TIMEOUT_MS = 5_000;
/** A Query needs a Worker; without one the rest of the answer should not wait long. */
const QUERY_TIMEOUT_MS = 3_000;

/** A call of the Temporal Client that an HTTP request waits for. */
export const timely = <T>(client: Client, call: () => Promise<T>): Promise<T> =>
  client.withDeadline(Date.now() + CALL_TIMEOUT_MS, call);

/**
 * What a Query answers; null when none does: no Worker is up, or the Workflow ended before its first Task. The rest of a
 * view is worth showing without it.
 */
export async function queried<T>(client: Client, query: () => Promise<T>): Promise<T | null> {
  try {
    return await client.withDeadline(Date.now() + QUERY_TIMEOUT_MS, query);
  } catch {
    return null;
  }
}
