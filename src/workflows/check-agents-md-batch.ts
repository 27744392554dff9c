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
import { HostName } from '../agents-md/code-host.ts';
import { batchCheckWorkflowId } from '../agents-md/ids.ts';
import type { Observation } from '../agents-md/observation.ts';
import type { checkAgentsMd } from './check-agents-md.ts';
import { batchProgressQuery } from './messages.ts';
import { producerKey } from './search-attributes.ts';

/** Of each host: enough to keep its Task Queue busy; more would only wait there. */
const GROUPS_AT_ONCE = 50;

/** Three events for each in the history of the batch, beside its Tasks: far below where a history grows slow. */
const CHECKS_IN_ONE_RUN = 500;

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
  // A host that throttles for hours keeps only its own producers waiting.
  const hosts = [...new Set(groups.map(([first]) => hostOf(first)))];
  const queues = hosts.map((host) => groups.filter(([first]) => hostOf(first) === host));
  const lanes = queues.flatMap((queue) =>
    Array.from({ length: Math.min(GROUPS_AT_ONCE, queue.length) }, async () => {
      // A long history is handed on to a run with a new one, between two groups.
      while (finished.length - entries.length < CHECKS_IN_ONE_RUN && !workflowInfo().continueAsNewSuggested) {
        const group = queue.shift();
        if (group === undefined) return;
        await checkGroup(batchId, group, (entry) => finished.push(entry));
      }
    }),
  );
  await Promise.all(lanes);
  const rest = queues.flat(2);
  if (rest.length > 0) {
    await continueAsNew<typeof checkAgentsMdBatch>({ batchId, producers: rest, entries: finished });
  }
  return { done: finished.length };
}

const hostOf = (producer: CheckInput | undefined): HostName => producer?.host ?? HostName.github;

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
