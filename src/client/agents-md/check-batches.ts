import {
  type Client,
  WorkflowExecutionAlreadyStartedError,
  type WorkflowExecutionDescription,
  type WorkflowHandle,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { createHash } from 'node:crypto';
import { BATCH_ENTRIES_MAX, type BatchEntry, type BatchProgress, canonicalProducers } from '../../agents-md/batch.ts';
import type { CheckInput } from '../../agents-md/check-input.ts';
import { batchWorkflowId } from '../../agents-md/check-ids.ts';
import { counted } from '../../lib/counted.ts';
import { BATCH_WORKFLOW_TYPE, batchProgressQuery, CHECK_TASK_QUEUE } from '../../workflows/messages.ts';
import type { CheckAgentsMdBatchResult } from '../../workflows/agents-md/check-agents-md-batch.ts';
import { temporalUi } from '../temporal-ui.ts';
import { queryOrNull, withCallTimeout } from '../temporal-calls.ts';

export interface BatchView {
  batchId: string;
  outcome: 'running' | 'completed' | 'failed' | 'cancelled' | 'terminated';
  total: number;
  /** Null if no Worker answers. */
  done: number | null;
  /** At most 1,000, in the order of completion, after those that the caller already has; null if no Worker answers. */
  entries: readonly BatchEntry[] | null;
  workflowId: string;
  runId: string;
  /** Null if the URL of the Temporal UI is not configured. */
  uiUrl: string | null;
}

export type BatchStart =
  | { kind: 'started' | 'alreadyThere'; view: BatchView }
  /** The id belongs to another list of producers. */
  | { kind: 'different'; workflowId: string };

export interface AgentsMdBatches {
  /** Starts a batch unless it is running or has completed. */
  start(batchId: string, producers: readonly CheckInput[]): Promise<BatchStart>;
  /**
   * Undefined if there is none.
   *
   * @param after how many entries the caller already has
   */
  get(batchId: string, after: number): Promise<BatchView | undefined>;
}

type Progress = Pick<BatchProgress, 'done' | 'entries'>;

interface BatchMemo {
  readonly producersSha256: string;
  readonly total: number;
}

/** Batches of checks. Throws the Temporal Client's errors if the server cannot be reached. */
export function createAgentsMdBatches(client: Client, options: { uiUrl: string | undefined }): AgentsMdBatches {
  const ui = temporalUi(options.uiUrl, client.options.namespace);

  const describe = (batchId: string): Promise<WorkflowExecutionDescription> =>
    withCallTimeout(client, () => client.workflow.getHandle(batchWorkflowId(batchId)).describe());

  const stateOf = (handle: WorkflowHandle, after: number): Promise<Progress | null> =>
    queryOrNull(client, () => handle.query(batchProgressQuery, { after }));

  /** A Query would make a Worker replay the whole history; the result needs none. */
  async function resultOf(handle: WorkflowHandle, after: number): Promise<Progress> {
    const { done, entries } = (await withCallTimeout(client, () => handle.result())) as CheckAgentsMdBatchResult;
    return { done, entries: entries.slice(after, after + BATCH_ENTRIES_MAX) };
  }

  async function view(batchId: string, after: number, known?: Progress): Promise<BatchView> {
    const description = await describe(batchId);
    const { workflowId, runId, status } = description;
    const handle = client.workflow.getHandle(workflowId, runId);
    const outcome = outcomes[status.name] ?? 'running';
    const progress = known ?? (outcome === 'completed' ? await resultOf(handle, after) : await stateOf(handle, after));
    const total = memoOf(description).total ?? 0;
    return {
      batchId,
      outcome,
      total,
      done: progress?.done ?? null,
      entries: progress?.entries ?? null,
      workflowId,
      runId,
      uiUrl: ui.workflowUrl(description),
    };
  }

  return {
    async start(batchId, producers) {
      const workflowId = batchWorkflowId(batchId);
      const memo: BatchMemo = { producersSha256: sha256Of(producers), total: producers.length };
      try {
        await withCallTimeout(client, () =>
          client.workflow.start(BATCH_WORKFLOW_TYPE, {
            workflowId,
            taskQueue: CHECK_TASK_QUEUE,
            args: [{ batchId, producers }],
            // A Worker that takes over a batch of thousands first replays it for seconds.
            workflowTaskTimeout: '1 minute',
            workflowIdReusePolicy: 'ALLOW_DUPLICATE_FAILED_ONLY',
            workflowIdConflictPolicy: 'FAIL',
            staticSummary: counted(producers.length, 'producer'),
            memo: { ...memo },
          }),
        );
      } catch (error) {
        if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
        const { producersSha256 } = memoOf(await describe(batchId));
        if (producersSha256 !== memo.producersSha256) return { kind: 'different', workflowId };
        return { kind: 'alreadyThere', view: await view(batchId, 0) };
      }
      // A Query would wait for the first Workflow Task.
      return { kind: 'started', view: await view(batchId, 0, { done: 0, entries: [] }) };
    },

    async get(batchId, after) {
      try {
        return await view(batchId, after);
      } catch (error) {
        if (error instanceof WorkflowNotFoundError) return undefined;
        throw error;
      }
    },
  };
}

const sha256Of = (producers: readonly CheckInput[]): string =>
  createHash('sha256').update(canonicalProducers(producers)).digest('hex');

/** Empty if another program started the Workflow. */
const memoOf = ({ memo }: WorkflowExecutionDescription): Partial<BatchMemo> => memo ?? {};

const outcomes: Partial<Record<WorkflowExecutionDescription['status']['name'], BatchView['outcome']>> = {
  COMPLETED: 'completed',
  FAILED: 'failed',
  CANCELLED: 'cancelled',
  TERMINATED: 'terminated',
  TIMED_OUT: 'terminated',
};
