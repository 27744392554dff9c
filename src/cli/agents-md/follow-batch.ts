import type { BatchEntry } from '../../agents-md/batch.ts';
import type { CheckResult } from '../../agents-md/check-result.ts';
import type { BatchView } from '../../client/agents-md/check-batches.ts';
import type { AgentsMdClient } from './agents-md-client.ts';
import { CommandError } from '../command-error.ts';
import { createFollower, outlastOutage, type Watch } from '../follow.ts';

/** Concurrent, so that thousands of earlier results are shown soon without overloading the API. */
const RESULTS_AT_ONCE = 8;
/** A batch that is over needs a Worker only to report its results. */
const NO_WORKER_MS_MAX = 120_000;

/** A producer of a batch whose check is over. */
export interface CheckedProducer {
  readonly entry: BatchEntry;
  /** Null if there is none, or it is no longer stored. */
  readonly result: CheckResult | null;
  /** Why there is no result to show. */
  readonly note: string | null;
}

export interface BatchWatcher extends Watch {
  /** Called once per producer, in the order of completion. */
  readonly onProducer: (producer: CheckedProducer) => void;
  readonly onView: (view: BatchView) => void;
  /** Called when a poll finds nothing new. */
  readonly onIdle: () => Promise<void>;
}

/** Follows a batch from its first entry to its end; resolves with the final view. */
export async function followBatch(
  client: Pick<AgentsMdClient, 'getBatch' | 'getCheck'>,
  batchId: string,
  { onProducer, onView, onIdle, report, signal }: BatchWatcher,
): Promise<BatchView> {
  let shown = 0;
  let unansweredSince: number | undefined;
  const next = createFollower<BatchView | undefined>(
    {
      what: 'the batch',
      get: () => client.getBatch(batchId, shown),
      isAnswered: (view) => view?.entries !== null,
    },
    { report, signal },
  );
  for (let pauseMs: number | undefined = 0; ;) {
    const view = await next(pauseMs);
    if (view === undefined)
      throw new CommandError(`Batch ${batchId} no longer exists in Temporal. Run the command again to start it`, {
        code: 'not_found',
      });
    onView(view);
    const { entries } = view;
    if (entries === null) {
      if (view.outcome !== 'running') unansweredSince ??= Date.now();
      if (unansweredSince !== undefined && Date.now() - unansweredSince >= NO_WORKER_MS_MAX) {
        throw new CommandError(
          `Batch ${batchId} is over, and no Worker answers to report its results. Start a Worker, then run the command again`,
          { code: 'no_worker' },
        );
      }
    } else {
      unansweredSince = undefined;
      for (let first = 0; first < entries.length; first += RESULTS_AT_ONCE) {
        const some = entries.slice(first, first + RESULTS_AT_ONCE);
        for (const producer of await Promise.all(some.map((entry) => resultOf(client, entry, { report, signal })))) {
          onProducer(producer);
        }
        signal.throwIfAborted();
      }
      shown += entries.length;
      if (view.outcome !== 'running' && entries.length === 0) return view;
      if (entries.length === 0) await onIdle();
    }
    pauseMs = entries === null || entries.length === 0 ? undefined : 0;
  }
}

/** A batch reports outcomes only; the full result is stored with the producer until its next check. */
async function resultOf(
  client: Pick<AgentsMdClient, 'getCheck'>,
  entry: BatchEntry,
  watch: Watch,
): Promise<CheckedProducer> {
  if (entry.status === null) return without(entry, 'the check was cancelled or terminated and has no result');
  const latest = await outlastOutage(() => client.getCheck(entry.producerId), watch).then(
    (view) => view.latest,
    (error: unknown) => {
      if (error instanceof CommandError && error.code === 'not_found') return null;
      throw error;
    },
  );
  if (latest === null) return without(entry, 'its result is no longer stored');
  const isOfBatch =
    latest.status === entry.status && latest.outcome === entry.outcome && latest.reasonCode === entry.reasonCode;
  return isOfBatch
    ? { entry, result: latest, note: null }
    : without(entry, `checked again at ${latest.checkedAt}: ${latest.outcome ?? latest.status} (${latest.reasonCode})`);
}

const without = (entry: BatchEntry, note: string): CheckedProducer => ({ entry, result: null, note });
