import {
  CancellationScope,
  ChildWorkflowFailure,
  continueAsNew,
  executeChild,
  log,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import type { BatchEntry, BatchInput } from '../agents-md/batch.ts';
import { groupsOf } from '../agents-md/batch-groups.ts';
import { type CheckInput, summaryOf } from '../agents-md/check-input.ts';
import { batchCheckWorkflowId } from '../agents-md/ids.ts';
import type { Observation } from '../agents-md/observation.ts';
import type { checkAgentsMd } from './check-agents-md.ts';
import { batchProgressQuery } from './messages.ts';
import { producerKey } from './search-attributes.ts';

/** Enough to keep the Task Queues of the hosts busy; more would only wait there. */
const GROUPS_AT_ONCE = 50;

/**
 * Checks many producers, each repository once: the first producer of a group asks, and the others are judged by what
 * it saw. The rate is that of the hosts' Task Queues. Ends with how many producers were checked.
 */
export async function checkAgentsMdBatch({ batchId, producers, entries = [] }: BatchInput): Promise<{ done: number }> {
  const finished: BatchEntry[] = [...entries];
  const total = producers.length + entries.length;
  setHandler(batchProgressQuery, ({ after }) => ({
    total,
    done: finished.length,
    entries: finished.slice(after, after + 1_000),
  }));
  const groups = groupsOf(producers);
  const lanes = Array.from({ length: Math.min(GROUPS_AT_ONCE, groups.length) }, async () => {
    // A long history is handed on to a run with a new one, between two groups.
    while (groups.length > 0 && !workflowInfo().continueAsNewSuggested) {
      await checkGroup(batchId, groups.shift() ?? [], (entry) => finished.push(entry));
    }
  });
  await Promise.all(lanes);
  if (groups.length > 0) {
    await continueAsNew<typeof checkAgentsMdBatch>({ batchId, producers: groups.flat(), entries: finished });
  }
  return { done: finished.length };
}

/** One after the other: only the first has questions to ask. */
async function checkGroup(
  batchId: string,
  group: readonly CheckInput[],
  finish: (entry: BatchEntry) => void,
): Promise<void> {
  let observed: readonly Observation[] = [];
  for (const producer of group) {
    const { producerId } = producer;
    try {
      const { result, observations } = await executeChild<typeof checkAgentsMd>('checkAgentsMd', {
        workflowId: batchCheckWorkflowId(batchId, producerId),
        args: [{ ...producer, observed }],
        staticSummary: summaryOf(producer),
        typedSearchAttributes: [{ key: producerKey, value: producerId }],
      });
      observed = observations;
      const { status, outcome, reasonCode } = result;
      finish({ producerId, status, outcome, reasonCode });
    } catch (error) {
      if (CancellationScope.current().consideredCancelled || !isOfChild(error)) throw error;
      // Somebody has ended this one check: the others go on, and the batch tells of it.
      log.warn('a check of the batch was ended from outside', { producerId });
      finish({ producerId, status: null, outcome: null, reasonCode: null });
    }
  }
}

const isOfChild = (error: unknown): boolean =>
  error instanceof ChildWorkflowFailure || error instanceof WorkflowExecutionAlreadyStartedError;
