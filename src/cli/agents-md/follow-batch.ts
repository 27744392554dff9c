import { setTimeout as sleep } from 'node:timers/promises';
import type { BatchEntry } from '../../agents-md/batch.ts';
import type { CheckResult } from '../../agents-md/check-result.ts';
import type { BatchView } from '../../client/agents-md/check-batches.ts';
import type { AgentsMdClient } from './agents-md-client.ts';
import { CommandError } from '../command-error.ts';
import { outlastOutage } from '../outlast-outage.ts';
import { SILENCE_TOLD_AFTER_MS, silenceMeter } from '../silence-meter.ts';

const LOOK_INTERVAL_MS = 500;
/** Side by side, so that thousands of results of an earlier run are shown soon, and the API has others to answer too. */
const RESULTS_AT_ONCE = 8;
/** A batch that is over needs a Worker only to tell of it. */
const NO_WORKER_MS_MAX = 120_000;

/** A producer of a batch whose check is over. */
export interface CheckedProducer {
  readonly entry: BatchEntry;
  /** Null: there is none, or it is not kept any more. */
  readonly result: CheckResult | null;
  /** Why there is no result to show. */
  readonly note: string | null;
}

export interface BatchWatcher {
  /** Each producer once, in the order of finishing. */
  readonly onProducer: (producer: CheckedProducer) => void;
  readonly onView: (view: BatchView) => void;
  /** Whenever a look has found nothing new. */
  readonly onIdle: () => Promise<void>;
  readonly report: (line: string) => void;
  /** Ends the following, not the batch: its reason is thrown. */
  readonly signal: AbortSignal;
}

/** Follows a batch from its first producer to its end, however far it is; resolves with the view of its end. */
export async function agentsMdFollowBatch(
  client: Pick<AgentsMdClient, 'getBatch' | 'getCheck'>,
  batchId: string,
  { onProducer, onView, onIdle, report, signal }: BatchWatcher,
): Promise<BatchView> {
  let shown = 0;
  const silence = silenceMeter();
  for (;;) {
    const view = await outlastOutage(() => client.getBatch(batchId, shown), { report, signal });
    if (view === undefined) throw new CommandError(`Batch ${batchId} is not known any more`, { code: 'not_found' });
    onView(view);
    const { entries } = view;
    const silentMs = silence(entries !== null);
    if (entries === null) {
      if (silentMs >= SILENCE_TOLD_AFTER_MS)
        report('No Worker answers just now, so nothing can be shown of the batch.');
      if (view.outcome !== 'running' && silentMs >= NO_WORKER_MS_MAX) {
        throw new CommandError(`Batch ${batchId} is over, and no Worker answers to tell what came of it`, {
          code: 'no_worker',
        });
      }
    } else {
      for (let next = 0; next < entries.length; next += RESULTS_AT_ONCE) {
        const some = entries.slice(next, next + RESULTS_AT_ONCE);
        for (const producer of await Promise.all(some.map((entry) => resultOf(client, entry, { report, signal })))) {
          onProducer(producer);
        }
        signal.throwIfAborted();
      }
      shown += entries.length;
      if (view.outcome !== 'running' && entries.length === 0) return view;
      if (entries.length === 0) await onIdle();
    }
    if (entries === null || entries.length === 0) await sleep(LOOK_INTERVAL_MS, undefined, { signal });
  }
}

/** The batch tells the outcome alone; what it was based on is kept with the producer, until it is checked again. */
async function resultOf(
  client: Pick<AgentsMdClient, 'getCheck'>,
  entry: BatchEntry,
  watch: Pick<BatchWatcher, 'report' | 'signal'>,
): Promise<CheckedProducer> {
  if (entry.status === null) return without(entry, 'the check was ended from outside and left no result');
  const latest = await outlastOutage(() => client.getCheck(entry.producerId), watch).then(
    (view) => view.latest,
    (error: unknown) => {
      if (error instanceof CommandError && error.code === 'not_found') return null;
      throw error;
    },
  );
  if (latest === null) return without(entry, 'its result is not kept any more');
  const isOfBatch =
    latest.status === entry.status && latest.outcome === entry.outcome && latest.reasonCode === entry.reasonCode;
  return isOfBatch
    ? { entry, result: latest, note: null }
    : without(
        entry,
        `checked again since, at ${latest.checkedAt}: ${latest.outcome ?? latest.status} (${latest.reasonCode})`,
      );
}

const without = (entry: BatchEntry, note: string): CheckedProducer => ({ entry, result: null, note });
