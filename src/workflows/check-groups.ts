import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { CancellationScope, ChildWorkflowFailure, condition, executeChild, log } from '@temporalio/workflow';
import type { BatchEntry } from '../agents-md/batch.ts';
import { observationsFor } from '../agents-md/batch-groups.ts';
import { type CheckInput, summaryOf } from '../agents-md/check-input.ts';
import type { ResolvedRepository } from '../agents-md/check-result.ts';
import { batchCheckWorkflowId } from '../agents-md/check-ids.ts';
import type { Observation } from '../agents-md/observation.ts';
import type { checkAgentsMd } from './check-agents-md.ts';
import { producerKey } from './search-attributes.ts';

/**
 * Longer than a question waits for its turn while a full batch keeps the host's rate, far shorter than a second look, or a
 * host that throttles.
 */
const NEXT_BEGINS_AFTER = '5 minutes';

/** What the checks of a group have found out so far. */
export interface Known {
  readonly observed: Observation[];
  resolved: ResolvedRepository | null;
}

/** Checks that are under way at once, and what becomes of each. */
export interface Checks {
  readonly batchId: string;
  readonly finish: (entry: BatchEntry) => void;
  /** Resolves when another check may begin. @default at once */
  readonly turn?: () => Promise<void>;
}

/** The groups of a queue, so many side by side. */
export function lanesOf(
  queue: (readonly CheckInput[])[],
  atOnce: number,
  checkGroup: (group: readonly CheckInput[]) => Promise<void>,
): Promise<void>[] {
  return Array.from({ length: Math.min(atOnce, queue.length) }, async () => {
    for (let group = queue.shift(); group !== undefined; group = queue.shift()) await checkGroup(group);
  });
}

/**
 * One after the other, but for a check that takes its time: the next one then begins beside it.
 *
 * @param known what is known already; the checks add to it
 * @param onBegun called when another group could begin beside the last check, which otherwise is not waited for
 */
export async function checkGroup(
  { batchId, finish, turn }: Checks,
  group: readonly CheckInput[],
  known: Known = { observed: [], resolved: null },
  onBegun?: () => void,
): Promise<void> {
  const checks: Promise<void>[] = [];
  try {
    for (const [position, producer] of group.entries()) {
      if (turn !== undefined) await turn();
      let isOver = false;
      const check = checkOne(batchId, producer, known).then(finish);
      checks.push(
        check.finally(() => {
          isOver = true;
        }),
      );
      if (position < group.length - 1 || onBegun !== undefined) await condition(() => isOver, NEXT_BEGINS_AFTER);
    }
    onBegun?.();
  } finally {
    await allEnded(checks);
  }
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
    return endedFromOutside(producerId);
  }
}

export const endedFromOutside = (producerId: string): BatchEntry => ({
  producerId,
  status: null,
  outcome: null,
  reasonCode: null,
});

/** Nothing is left running behind: a batch that closes would have the server terminate its checks in the middle. */
export async function allEnded(parts: readonly Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(parts)).find((part) => part.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

export const isOfChild = (error: unknown): boolean =>
  error instanceof ChildWorkflowFailure || error instanceof WorkflowExecutionAlreadyStartedError;
