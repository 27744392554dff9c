import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { CancellationScope, ChildWorkflowFailure, condition, executeChild, log } from '@temporalio/workflow';
import type { BatchEntry } from '../../agents-md/batch.ts';
import { observationsFor } from '../../agents-md/batch-groups.ts';
import { type CheckInput, summaryOf } from '../../agents-md/check-input.ts';
import type { ResolvedRepository } from '../../agents-md/check-result.ts';
import { batchCheckWorkflowId } from '../../agents-md/check-ids.ts';
import type { Observation } from '../../agents-md/observation.ts';
import type { checkAgentsMd } from './check-agents-md.ts';
import { producerKey } from '../search-attributes.ts';

/** Longer than a request of a full batch is queued at the host's rate, far shorter than a second check or a host's throttling. */
const NEXT_BEGINS_AFTER = '5 minutes';

export interface Known {
  readonly observed: Observation[];
  resolved: ResolvedRepository | null;
}

export interface Checks {
  readonly batchId: string;
  readonly finish: (entry: BatchEntry) => void;
  /** Resolves when another check may begin. @default immediately */
  readonly untilFree?: () => Promise<void>;
}

/** Checks the groups of a queue, `atOnce` of them concurrently. */
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
 * Checks the producers of a group in turn. The next check begins early if one takes long.
 *
 * @param known what earlier groups found; the checks add to it
 * @param onBegun called when the next group may begin
 */
export async function checkGroup(
  { batchId, finish, untilFree }: Checks,
  group: readonly CheckInput[],
  known: Known = { observed: [], resolved: null },
  onBegun?: () => void,
): Promise<void> {
  const checks: Promise<void>[] = [];
  try {
    for (const [position, producer] of group.entries()) {
      if (untilFree !== undefined) await untilFree();
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

/** Waits for all, also after a failure: when a batch closes, the server terminates its running checks. */
export async function allEnded(parts: readonly Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(parts)).find((part) => part.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

export const isOfChild = (error: unknown): boolean =>
  error instanceof ChildWorkflowFailure || error instanceof WorkflowExecutionAlreadyStartedError;
