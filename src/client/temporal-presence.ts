import type { Client } from '@temporalio/client';
import { sharedCheck } from '../lib/http/shared-check.ts';
import { findSilentTaskQueues } from '../lib/temporal/find-silent-task-queues.ts';
import { ONBOARDING_TASK_QUEUE } from '../workflows/messages.ts';
import { answersQueries } from './worker-presence.ts';

/** Whether Temporal and the Workers of the onboardings answer. */
export interface TemporalPresence {
  readonly reachable: boolean;
  /** `unknown`: a Worker polled within the last minute, but none answers now; or Temporal cannot be reached. */
  readonly workers: 'polling' | 'none' | 'unknown';
  /** RFC 3339, UTC. */
  readonly checkedAt: string;
}

export interface TemporalPresenceOptions {
  /** Task Queue of the onboardings. */
  readonly taskQueue?: string | undefined;
  readonly now?: () => number;
}

/** Requests within this interval share one answer. */
const KEPT_MS = 5_000;
const TIMEOUT_MS = 1_000;
const QUERY_TIMEOUT_MS = 600;
/** One that comes later counts from the next time on. */
const TIME_WITHIN_MS = 500;

/**
 * Asks Temporal at most every five seconds, however many requests want to know. Never rejects, and takes at most a second.
 */
export function createTemporalPresence(
  client: Client,
  { taskQueue = ONBOARDING_TASK_QUEUE, now = Date.now }: TemporalPresenceOptions = {},
): () => Promise<TemporalPresence> {
  const check = sharedCheck(
    () => client.withDeadline(Date.now() + TIMEOUT_MS, () => workersOf(client, taskQueue)),
    TIMEOUT_MS,
  );
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

/** An answer counts more than the age of a poll, which is by the server's clock: this one may be minutes off. */
async function workersOf(client: Client, taskQueue: string): Promise<TemporalPresence['workers']> {
  const queue = { taskQueue, runsWorkflows: true };
  const [isAnswering, silent] = await Promise.all([
    answersQueries(client, { timeoutMs: QUERY_TIMEOUT_MS }),
    findSilentTaskQueues(client, client.options.namespace, [queue], { timeWithinMs: TIME_WITHIN_MS }),
  ]);
  if (isAnswering) return 'polling';
  return silent.length > 0 ? 'none' : 'unknown';
}
