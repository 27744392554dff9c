// No Continue-As-New: it would wait for every check under way. A large batch has child Workflows instead.
import {
  CancellationScope,
  condition,
  executeChild,
  log,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import { batchTally } from '../../agents-md/batch-details.ts';
import { BATCH_ENTRIES_MAX, type BatchEntry, type BatchInput, entriesHeld } from '../../agents-md/batch.ts';
import { groupsOf } from '../../agents-md/batch-groups.ts';
import {
  type BatchPart,
  type GroupFindings,
  PART_PRODUCERS_MAX,
  partsOf,
  UNDER_WAY_MAX,
} from '../../agents-md/batch-parts.ts';
import type { CheckInput } from '../../agents-md/check-input.ts';
import { HostName } from '../../agents-md/code-host.ts';
import { isObject } from '../../lib/json-value.ts';
import { batchPartWorkflowId } from '../../agents-md/check-ids.ts';
import { counted } from '../../lib/counted.ts';
import type { BatchPartInput, checkAgentsMdBatchPart } from './check-agents-md-batch-part.ts';
import { allEnded, checkGroup, endedFromOutside, isOfChild, lanesOf } from './check-groups.ts';
import { type BatchPartReport, batchPartSignal, batchProgressQuery } from '../messages.ts';
import { outcomeKey } from '../search-attributes.ts';

/** Per host: enough to keep its Task Queue busy. */
const GROUPS_AT_ONCE = 50;

export interface CheckAgentsMdBatchResult {
  readonly done: number;
  readonly entries: readonly BatchEntry[];
}

/**
 * Checks many producers and requests nothing twice: those of one organization are checked in turn, and each check is
 * given the observations of those before it. The hosts' Task Queues limit the request rate.
 *
 * A batch too large for one Event History is checked in parts, by child Workflows that report to this one.
 */
export async function checkAgentsMdBatch({ batchId, producers }: BatchInput): Promise<CheckAgentsMdBatchResult> {
  const finished: BatchEntry[] = [];
  const tally = batchTally(batchId, producers.length);
  const finish = (entry: BatchEntry): void => {
    finished.push(entry);
    tally.add(entry);
    setCurrentDetails(tally.details());
  };
  setCurrentDetails(tally.details());
  setHandler(batchProgressQuery, (query: unknown) => {
    const after = entriesHeld(query);
    return {
      total: producers.length,
      done: finished.length,
      entries: finished.slice(after, after + BATCH_ENTRIES_MAX),
    };
  });
  if (producers.length > PART_PRODUCERS_MAX) {
    await checkInParts(batchId, partsOf(producers), finish);
  } else {
    const groups = groupsOf(producers);
    const hosts = [...new Set(groups.map(([first]) => hostOf(first)))];
    // A host that throttles for hours delays only its own producers.
    const lanes = hosts.flatMap((host) =>
      lanesOf(
        groups.filter(([first]) => hostOf(first) === host),
        GROUPS_AT_ONCE,
        (group) => checkGroup({ batchId, finish }, group),
      ),
    );
    await allEnded(lanes);
  }
  const worst = tally.worst();
  if (worst !== null) upsertSearchAttributes([{ key: outcomeKey, value: worst }]);
  return { done: finished.length, entries: finished };
}

const hostOf = (producer: CheckInput | undefined): HostName => producer?.host ?? HostName.github;

/** A part that is running. */
interface OpenPart {
  readonly host: HostName;
  /** The most checks that it may have under way. */
  underWay: number;
  readonly unfinished: Set<string>;
  /** Set when the next part of its chain may begin. */
  findings: GroupFindings | undefined;
}

/** Runs the parts of a chain in turn and the chains concurrently, up to the limit of each host. */
async function checkInParts(
  batchId: string,
  chains: readonly (readonly BatchPart[])[],
  finish: (entry: BatchEntry) => void,
): Promise<void> {
  const open = new Map<number, OpenPart>();
  const finishOf = (part: OpenPart, entry: BatchEntry): void => {
    if (part.unfinished.delete(entry.producerId)) finish(entry);
  };
  setHandler(batchPartSignal, (report: unknown) => {
    // Any client can send this Signal: ignore what is not the report of an open part.
    if (!isReport(report)) return;
    const { part: number, entries, underWay, findings } = report;
    const part = open.get(number);
    if (part === undefined) return;
    for (const entry of entries) finishOf(part, entry);
    part.underWay = underWay;
    part.findings ??= findings;
  });
  const hasRoom = ({ host, underWayMax }: BatchPart): boolean => {
    const underWay = [...open.values()].reduce((sum, part) => sum + (part.host === host ? part.underWay : 0), 0);
    return underWay + underWayMax <= UNDER_WAY_MAX;
  };
  let numbers = 0;
  const checkChain = async (chain: readonly BatchPart[]): Promise<void> => {
    const ends: Promise<void>[] = [];
    let findings: GroupFindings = { observed: [], resolved: null };
    try {
      for (const part of chain) {
        // Another chain may have taken the free slot.
        while (!hasRoom(part)) await condition(() => hasRoom(part));
        const number = numbers++;
        const producerIds = part.groups.flat().map(({ producerId }) => producerId);
        const opened: OpenPart = {
          host: part.host,
          underWay: part.underWayMax,
          unfinished: new Set(producerIds),
          findings: undefined,
        };
        open.set(number, opened);
        let isOver = false;
        ends.push(
          checkPart({ batchId, number, part, findings })
            .then(() => {
              // Only a part that was ended from outside leaves any.
              for (const producerId of opened.unfinished) finishOf(opened, endedFromOutside(producerId));
            })
            .finally(() => {
              open.delete(number);
              isOver = true;
            }),
        );
        await condition(() => isOver || opened.findings !== undefined);
        findings = opened.findings ?? findings;
      }
    } finally {
      await allEnded(ends);
    }
  };
  await allEnded(chains.map(checkChain));
}

const isReport = (report: unknown): report is BatchPartReport =>
  isObject(report) &&
  typeof report['part'] === 'number' &&
  typeof report['underWay'] === 'number' &&
  Array.isArray(report['entries']) &&
  report['entries'].every((entry) => isObject(entry) && typeof entry['producerId'] === 'string');

/** Resolves also if the part was ended from outside: the others continue. */
async function checkPart(input: BatchPartInput): Promise<void> {
  const { batchId, number, part } = input;
  try {
    await executeChild<typeof checkAgentsMdBatchPart>('checkAgentsMdBatchPart', {
      workflowId: batchPartWorkflowId(batchId, number),
      args: [input],
      staticSummary: `${part.host}, ${counted(part.groups.flat().length, 'producer')}`,
    });
  } catch (error) {
    if (CancellationScope.current().consideredCancelled || !isOfChild(error)) throw error;
    log.warn('a part of the batch was ended from outside', { batchId, part: number });
  }
}
