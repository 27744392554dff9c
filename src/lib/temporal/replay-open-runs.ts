import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { type ReplayResult, type ReplayWorkerOptions, Worker } from '@temporalio/worker';

export interface ReplayFault {
  readonly workflowId: string;
  readonly runId: string;
  readonly message: string;
}

export interface Replayed {
  readonly replayed: number;
  /** Executions that stop with this Workflow code: each of their Workflow Tasks fails. */
  readonly faults: readonly ReplayFault[];
}

/** Enough to hide the way to the server. */
const FETCHED_AT_ONCE = 20;
const MESSAGE_LENGTH_MAX = 500;

/**
 * Replays the Event History of every open execution on the given Workflow code. Changes nothing.
 *
 * @param query which executions, besides their status
 */
export async function replayOpenRuns(
  client: Client,
  options: Pick<ReplayWorkerOptions, 'workflowBundle' | 'dataConverter'>,
  query: string,
): Promise<Replayed> {
  const faults: ReplayFault[] = [];
  let replayed = 0;
  for await (const result of Worker.runReplayHistories(options, historiesOf(client, query))) {
    replayed += 1;
    if (result.error !== undefined) faults.push(faultOf(result));
  }
  return { replayed, faults };
}

const faultOf = ({ workflowId, runId, error }: ReplayResult): ReplayFault => ({
  workflowId,
  runId,
  message: (error?.message ?? '').slice(0, MESSAGE_LENGTH_MAX),
});

async function* historiesOf(client: Client, query: string) {
  const open = client.workflow.list({ query: `(${query}) AND ExecutionStatus = "Running"` });
  let batch: { readonly workflowId: string; readonly runId: string }[] = [];
  for await (const { workflowId, runId } of open) {
    batch.push({ workflowId, runId });
    if (batch.length < FETCHED_AT_ONCE) continue;
    yield* await fetched(client, batch);
    batch = [];
  }
  yield* await fetched(client, batch);
}

/** One that has ended since it was listed may be deleted. */
async function fetched(client: Client, runs: readonly { readonly workflowId: string; readonly runId: string }[]) {
  const each = await Promise.all(
    runs.map(async ({ workflowId, runId }) => {
      try {
        return [{ workflowId, history: await client.workflow.getHandle(workflowId, runId).fetchHistory() }];
      } catch (error) {
        if (error instanceof WorkflowNotFoundError) return [];
        throw error;
      }
    }),
  );
  return each.flat();
}
