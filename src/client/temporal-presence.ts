import type { Client } from '@temporalio/client';
import { sharedCheck } from '../lib/http/shared-check.ts';
import { INSTALLATION_WORKFLOW_ID, ONBOARDING_TASK_QUEUE } from '../workflows/messages.ts';

/** Whether Temporal and the Workers of the onboardings answer. */
export interface TemporalPresence {
  readonly reachable: boolean;
  /** `unknown`: a Worker polled within the last minute, but none answers now; or Temporal cannot be reached. */
  readonly workers: 'polling' | 'none' | 'unknown';
  /** RFC 3339, UTC. */
  readonly checkedAt: string;
}

/** Requests within this interval share one answer. */
const KEPT_MS = 5_000;
const TIMEOUT_MS = 1_000;
const QUERY_TIMEOUT_MS = 600;
/** A Worker polls again after at most a minute; Temporal lists a stopped one for five. */
const POLLED_WITHIN_MS = 70_000;
const WORKFLOW_TASK_QUEUE_TYPE = 1;

/**
 * Asks Temporal at most every five seconds, however many requests want to know. Never rejects, and takes at most a second.
 */
export function createTemporalPresence(client: Client, now = Date.now): () => Promise<TemporalPresence> {
  const check = sharedCheck(() => client.withDeadline(Date.now() + TIMEOUT_MS, () => workersOf(client)), TIMEOUT_MS);
  let last: { readonly at: number; readonly presence: TemporalPresence } | undefined;
  return async () => {
    if (last !== undefined && now() - last.at < KEPT_MS) return last.presence;
    const workers = await check();
    const at = now();
    const checkedAt = new Date(at).toISOString();
    last = { at, presence: { reachable: workers !== undefined, workers: workers ?? 'unknown', checkedAt } };
    return last.presence;
  };
}

async function workersOf(client: Client): Promise<TemporalPresence['workers']> {
  const { pollers } = await client.workflowService.describeTaskQueue({
    namespace: client.options.namespace,
    taskQueue: { name: ONBOARDING_TASK_QUEUE },
    taskQueueType: WORKFLOW_TASK_QUEUE_TYPE,
  });
  const polledAt = Math.max(...pollers.map(({ lastAccessTime }) => Number(lastAccessTime?.seconds ?? 0) * 1_000));
  if (Date.now() - polledAt > POLLED_WITHIN_MS) return 'none';
  return (await answersQueries(client)) ? 'polling' : 'unknown';
}

/** A Worker that was killed a moment ago is still listed: only an answer proves that one is there. */
async function answersQueries(client: Client): Promise<boolean> {
  try {
    await client.withDeadline(Date.now() + QUERY_TIMEOUT_MS, () =>
      client.workflow.getHandle(INSTALLATION_WORKFLOW_ID).query('__temporal_workflow_metadata'),
    );
    return true;
  } catch {
    return false;
  }
}
