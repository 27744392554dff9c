import { createHash } from 'node:crypto';
import { type BatchEntry, canonicalProducers } from '../../agents-md/batch.ts';
import type { CheckInput } from '../../agents-md/check-input.ts';
import { counted } from '../../lib/counted.ts';
import type { BatchView } from '../../client/agents-md/check-batches.ts';
import type { CheckContext } from './run-check.ts';
import { type AgentsMdClient, createAgentsMdClient } from './agents-md-client.ts';
import { followBatch, type BatchWatcher, type CheckedProducer } from './follow-batch.ts';
import { readProducers } from './read-producers.ts';
import { createProgressBar, type CheckEnding, endings, type ProgressStream } from './batch-progress.ts';
import { createBatchWait } from './batch-wait.ts';
import { CommandError } from '../command-error.ts';
import { checkExitCode } from '../exit-codes.ts';
import { findApi } from '../find-api.ts';
import { unlessInterrupted } from '../follow.ts';
import { printable } from '../../lib/printable.ts';
import { shellWord } from '../shell-word.ts';

export interface BatchOptions {
  /** `-` for stdin. */
  readonly file: string;
  /** @default derived from the list and today's date */
  readonly batch?: string;
  readonly json?: boolean;
  readonly data: string;
}

export interface BatchContext extends CheckContext {
  readonly progress: ProgressStream;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

const DAY_MS = 86_400_000;

/** Starts or resumes a batch with every producer of a file; resolves with the highest exit code. */
export async function runBatch(
  options: BatchOptions,
  { environment, stdin, write, writeMessage, interrupted, progress, now }: BatchContext,
): Promise<number> {
  const producers = await unlessInterrupted(interrupted, () => readProducers(options.file, stdin));
  if (typeof producers === 'number') return producers;
  const client = createAgentsMdClient(findApi(options.data, environment));
  const batchId = options.batch ?? (await batchIdOf(client, producers, now()));
  const { started, view } = await client.putBatch(batchId, producers).catch(explainTooLarge);
  writeMessage(`${started ? 'Started' : 'Resuming'} batch ${batchId}${view.uiUrl === null ? '' : `, ${view.uiUrl}`}\n`);
  let { outcome } = view;
  const onView = (seen: BatchView): void => void (outcome = seen.outcome);
  const producerIds = producers.map(({ producerId }) => producerId);
  const watch = { ...options, producerIds, write, writeMessage, interrupted, progress, now, onView };
  const end = await printBatch(client, batchId, watch);
  if (typeof end === 'number') {
    writeMessage(`${farewell[outcome]}: ${resumeCommand(options, batchId)}\n`);
    return end;
  }
  writeMessage(`${summary(end)}\n`);
  if (end.view.outcome !== 'completed') {
    throw new CommandError(
      `Batch ${batchId} was ${end.view.outcome} before it had checked every producer. Run the command again to start it again`,
      { code: `batch_${end.view.outcome}` },
    );
  }
  return Math.max(...end.producers.map(({ entry }) => checkExitCode(entry)));
}

const farewell: Readonly<Record<BatchView['outcome'], string>> = {
  running: 'The batch continues. To follow it again, run',
  completed: 'The batch has completed, but not every result was shown. To see all results, run',
  failed: 'The batch has failed. To start it again, run',
  cancelled: 'The batch was cancelled. To start it again, run',
  terminated: 'The batch was terminated. To start it again, run',
};

export interface EndOfBatch {
  readonly view: BatchView;
  readonly producers: readonly CheckedProducer[];
  readonly counts: ReadonlyMap<CheckEnding, number>;
}

/** Prints a line per finished producer; resolves with the exit code if the user interrupts. */
export async function printBatch(
  client: Pick<AgentsMdClient, 'getBatch' | 'getCheck'>,
  batchId: string,
  {
    json = false,
    write,
    writeMessage,
    interrupted,
    progress,
    now,
    producerIds = [],
    onView,
  }: Pick<BatchContext, 'write' | 'writeMessage' | 'interrupted' | 'progress' | 'now'> & {
    readonly json?: boolean;
    /** In the order of the batch. */
    readonly producerIds?: readonly string[];
    readonly onView?: BatchWatcher['onView'];
  },
): Promise<EndOfBatch | number> {
  const bar = createProgressBar(progress, now);
  const counts = new Map<CheckEnding, number>();
  const producers: CheckedProducer[] = [];
  const wait = createBatchWait(client, producerIds, now);
  const reported = new Set<string>();
  let known: Parameters<typeof bar.show>[0] | undefined;
  const draw = (): void => {
    if (known !== undefined) bar.show(known);
  };
  const watcher: Omit<BatchWatcher, 'signal'> = {
    onProducer: (producer) => {
      const ending = endingOf(producer.entry);
      counts.set(ending, (counts.get(ending) ?? 0) + 1);
      producers.push(producer);
      wait.finished(producer.entry.producerId);
      bar.clear();
      write(`${json ? JSON.stringify(producer.result ?? withoutResult(producer)) : producerLine(producer)}\n`);
      draw();
    },
    onView: (view) => {
      onView?.(view);
      const { total, done } = view;
      if (done !== null) known = { total, done, counts };
      draw();
    },
    onIdle: async () => {
      const reason = await wait.reason();
      if (reason !== undefined) watcher.report(`Waiting: ${reason}`);
    },
    report: (line) => {
      if (reported.has(line)) return;
      reported.add(line);
      bar.clear();
      writeMessage(`${printable(line)}\n`);
      draw();
    },
  };
  try {
    const view = await unlessInterrupted(interrupted, (signal) => followBatch(client, batchId, { ...watcher, signal }));
    return typeof view === 'number' ? view : { view, producers, counts };
  } finally {
    bar.clear();
  }
}

/**
 * The same list on the same day (UTC) has the same id, so that running the command again resumes the batch. So does a
 * batch of the day before that is still running.
 */
async function batchIdOf(
  client: Pick<AgentsMdClient, 'getBatch'>,
  producers: readonly CheckInput[],
  nowMs: number,
): Promise<string> {
  const hash = createHash('sha256').update(canonicalProducers(producers)).digest('hex').slice(0, 16);
  const idAt = (ms: number): string => `${new Date(ms).toISOString().slice(0, 10)}-${hash}`;
  const ofYesterday = await client.getBatch(idAt(nowMs - DAY_MS), 0);
  return ofYesterday?.outcome === 'running' ? ofYesterday.batchId : idAt(nowMs);
}

function endingOf({ status, outcome }: BatchEntry): CheckEnding {
  return outcome ?? (status === null ? 'ended' : 'inconclusive');
}

const COLUMNS = { producer: 28, outcome: 12, reason: 22 } as const;

function producerLine({ entry, result, note }: CheckedProducer): string {
  const { producerId, reasonCode } = entry;
  const columns = [
    producerId.padEnd(COLUMNS.producer),
    endingOf(entry).padEnd(COLUMNS.outcome),
    (reasonCode ?? '').padEnd(COLUMNS.reason),
    result?.message ?? note ?? '',
  ];
  return printable(columns.join('  ').trimEnd());
}

/** Replaces a missing result, with the same identifying fields. */
const withoutResult = ({ entry: { producerId, status, outcome, reasonCode }, note }: CheckedProducer) => ({
  checkId: 'agents-md',
  status,
  outcome,
  reasonCode,
  message: note,
  subject: { producerId },
});

function summary({ producers, counts }: EndOfBatch): string {
  const parts = endings.flatMap((ending) => {
    const count = counts.get(ending) ?? 0;
    return count === 0 ? [] : [`${count} ${ending === 'ended' ? 'without a result' : ending}`];
  });
  return `${counted(producers.length, 'producer')}: ${parts.join(', ')}`;
}

function explainTooLarge(error: unknown): never {
  if (!(error instanceof CommandError) || error.code !== 'payload_too_large') throw error;
  throw new CommandError('The list is too large for one batch: split it into several files', {
    code: error.code,
    cause: error,
  });
}

function resumeCommand({ file, data, json }: BatchOptions, batchId: string): string {
  const flags = ['--file', file, '--batch', batchId, '--data', data, ...(json === true ? ['--json'] : [])];
  return ['sendoff agents-md check', ...flags.map(shellWord)].join(' ');
}
