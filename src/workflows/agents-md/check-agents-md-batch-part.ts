import { CancellationScope, condition, getExternalWorkflowHandle, workflowInfo } from '@temporalio/workflow';
import type { BatchEntry } from '../../agents-md/batch.ts';
import { type BatchPart, findingsFor, type GroupFindings } from '../../agents-md/batch-parts.ts';
import { allEnded, checkGroup, type Known, lanesOf } from './check-groups.ts';
import { type BatchPartReport, batchPartSignal } from '../messages.ts';

/** A smaller report waits for more entries, because each report is a Signal and so costs history events. */
const REPORTED_AT_ONCE = 25;
const REPORTED_AFTER = '3 seconds';

export interface BatchPartInput {
  readonly batchId: string;
  readonly number: number;
  readonly part: BatchPart;
  /** Findings of earlier parts of the same organization. */
  readonly findings: GroupFindings;
}

/** Checks a part of a batch and reports each producer's result to the batch. */
export async function checkAgentsMdBatchPart({ batchId, number, part, findings }: BatchPartInput): Promise<void> {
  const { groups, underWayMax, nextFrom } = part;
  const known: Known = { observed: [...findings.observed], resolved: findings.resolved };
  const total = groups.flat().length;
  let begun = 0;
  let done = 0;
  let passedOn: GroupFindings | undefined;
  let unreported: BatchEntry[] = [];
  let isOver = false;

  const checks = {
    batchId,
    finish: (entry: BatchEntry): void => {
      done += 1;
      unreported.push(entry);
    },
    untilFree: async (): Promise<void> => {
      // Another chain may have taken the free slot.
      while (begun - done >= underWayMax) await condition(() => begun - done < underWayMax);
      begun += 1;
    },
  };
  /** Lets the next part of the organization begin with the findings of this one. */
  const passOn = (): void => {
    passedOn = findingsFor(part, known);
  };
  const isSlice = groups.length === 1;
  const lanes = lanesOf([...groups], underWayMax, (group) =>
    checkGroup(checks, group, isSlice ? known : undefined, nextFrom !== null ? passOn : undefined),
  );

  const reporting = CancellationScope.nonCancellable(async () => {
    let isPassedOn = false;
    for (;;) {
      const isNews = (): boolean => unreported.length > 0 || (passedOn !== undefined && !isPassedOn);
      await condition(() => isOver || isNews());
      if (!isNews()) return;
      if (unreported.length < REPORTED_AT_ONCE && !isOver) {
        await condition(() => isOver || unreported.length >= REPORTED_AT_ONCE, REPORTED_AFTER);
      }
      const entries = unreported;
      unreported = [];
      isPassedOn = passedOn !== undefined;
      const underWay = begun < total ? underWayMax : total - done;
      await report({ part: number, entries, underWay, ...(passedOn === undefined ? {} : { findings: passedOn }) });
    }
  });
  try {
    await allEnded(lanes);
  } finally {
    isOver = true;
    await reporting;
  }
}

async function report(message: BatchPartReport): Promise<void> {
  const { parent } = workflowInfo();
  if (parent === undefined) return;
  await getExternalWorkflowHandle(parent.workflowId, parent.runId).signal(batchPartSignal, message);
}
