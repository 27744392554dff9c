import {
  CancellationScope,
  ChildWorkflowFailure,
  condition,
  executeChild,
  log,
  setHandler,
} from '@temporalio/workflow';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { BATCH_ENTRIES_MAX, type BatchEntry, type BatchInput, entriesHeld } from '../agents-md/batch.ts';
import { groupsOf, observationsFor } from '../agents-md/batch-groups.ts';
import { type CheckInput, summaryOf } from '../agents-md/check-input.ts';
import type { ResolvedRepository } from '../agents-md/check-result.ts';
import { HostName } from '../agents-md/code-host.ts';
import { batchCheckWorkflowId } from '../agents-md/ids.ts';
import type { Observation } from '../agents-md/observation.ts';
import type { checkAgentsMd } from './check-agents-md.ts';
import { batchProgressQuery } from './messages.ts';
import { producerKey } from './search-attributes.ts';

/** Of each host: enough to keep its Task Queue busy; more would only wait there. */
const GROUPS_AT_ONCE = 50;

export interface CheckAgentsMdBatchResult {
  readonly done: number;
  readonly entries: readonly BatchEntry[];
}

/**
 * Longer than a question waits for its turn while a full batch keeps the host's rate, far shorter than a second look, or a
 * host that throttles.
 */
const NEXT_BEGINS_AFTER = '5 minutes';

/**
 * Checks many producers, and asks nothing twice: those of one organization are checked one after the other, each by what
 * those before it saw. The rate is that of the hosts' Task Queues. Ends with what became of each.
 */
export async function checkAgentsMdBatch({ batchId, producers }: BatchInput): Promise<CheckAgentsMdBatchResult> {
  const finished: BatchEntry[] = [];
  setHandler(batchProgressQuery, (query: unknown) => {
    const after = entriesHeld(query);
    return {
      total: producers.length,
      done: finished.length,
      entries: finished.slice(after, after + BATCH_ENTRIES_MAX),
    };
  });
  const groups = groupsOf(producers);
  const hosts = [...new Set(groups.map(([first]) => hostOf(first)))];
  // A host that throttles for hours keeps only its own producers waiting.
  const lanes = hosts.flatMap((host) => {
    const queue = groups.filter(([first]) => hostOf(first) === host);
    return Array.from({ length: Math.min(GROUPS_AT_ONCE, queue.length) }, async () => {
      for (let group = queue.shift(); group !== undefined; group = queue.shift()) {
        await checkGroup(batchId, group, (entry) => finished.push(entry));
      }
    });
  });
  await allEnded(lanes);
  return { done: finished.length, entries: finished };
}

const hostOf = (producer: CheckInput | undefined): HostName => producer?.host ?? HostName.github;

/** One after the other, but for a check that takes its time: the next one then begins beside it. */
async function checkGroup(
  batchId: string,
  group: readonly CheckInput[],
  finish: (entry: BatchEntry) => void,
): Promise<void> {
  const known: Known = { observed: [], resolved: null };
  const checks: Promise<void>[] = [];
  try {
    for (const [position, producer] of group.entries()) {
      let isOver = false;
      const check = checkOne(batchId, producer, known).then(finish);
      checks.push(
        check.finally(() => {
          isOver = true;
        }),
      );
      if (position < group.length - 1) await condition(() => isOver, NEXT_BEGINS_AFTER);
    }
  } finally {
    await allEnded(checks);
  }
}

/** What the checks of a group have found out so far. */
interface Known {
  readonly observed: Observation[];
  resolved: ResolvedRepository | null;
}

async function checkOne(batchId: string, producer: CheckInput, known: Known): Promise<BatchEntry> {
  const { producerId } = producer;
  const { observed, resolved } = known;
  try {
    const { result, own } = await executeChild<typeof checkAgentsMd>('checkAgentsMd', {
      workflowId: batchCheckWorkflowId(batchId, producerId),
      args: [{ ...producer, given: { observations: observationsFor(producer, observed, resolved), resolved } }],
      staticSummary: summaryOf(producer),
      typedSearchAttributes: [{ key: producerKey, value: producerId }],
    });
    known.observed.push(...own.observations);
    known.resolved ??= own.resolved;
    const { status, outcome, reasonCode } = result;
    return { producerId, status, outcome, reasonCode };
  } catch (error) {
    if (CancellationScope.current().consideredCancelled || !isOfChild(error)) throw error;
    // Somebody has ended this one check: the others go on, and the batch tells of it.
    log.warn('a check of the batch was ended from outside', { producerId });
    return { producerId, status: null, outcome: null, reasonCode: null };
  }
}

/** Nothing is left running behind: a batch that closes would have the server terminate its checks in the middle. */
async function allEnded(parts: readonly Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(parts)).find((part) => part.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

const isOfChild = (error: unknown): boolean =>
  error instanceof ChildWorkflowFailure || error instanceof WorkflowExecutionAlreadyStartedError;
