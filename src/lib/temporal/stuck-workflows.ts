// Executions that stand still because their Workflow Task fails, as after a change of Workflow code without `patched`. Temporal repeats the
// task without an event and without an end, so neither the history nor the status of the execution shows it.
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { withoutSecrets } from '../without-secrets.ts';
import { GrpcCode, grpcCode } from './grpc-code.ts';

export interface StuckWorkflowTask {
  readonly workflowId: string;
  readonly runId: string;
  /** The attempt of the Workflow Task, greater than `ATTEMPTS_MAX`. */
  readonly attempt: number;
  /** When it failed first, RFC 3339 UTC. */
  readonly since: string;
  /** The message of that failure, without secrets. */
  readonly message: string;
}

/** Fewer happen while Workers are replaced, and heal. */
const ATTEMPTS_MAX = 3;
const MESSAGE_LENGTH_MAX = 500;
/** The most that a server lists at once. */
const PAGE_SIZE_MAX = 1_000;
/** Signals may follow the failure. */
const EVENTS_READ = 50;

type Listed = Awaited<ReturnType<Client['workflowService']['listWorkflowExecutions']>>;

const PROBLEMS = `TemporalReportedProblems IN ("category=WorkflowTaskFailed", "category=WorkflowTaskTimedOut")`;

/**
 * Workflow Ids that the server itself reports, which it does after five failures in a row; undefined if it is older than 1.32 and does
 * not report any.
 */
export async function reportedAsStuck(
  client: Client,
  { query, limit }: { readonly query: string; readonly limit: number },
): Promise<string[] | undefined> {
  const found: string[] = [];
  try {
    let nextPageToken: Uint8Array | null = null;
    do {
      const answer: Listed = await client.workflowService.listWorkflowExecutions({
        namespace: client.options.namespace,
        ...{ pageSize: Math.min(limit - found.length, PAGE_SIZE_MAX), nextPageToken },
        query: `${query} AND ExecutionStatus = "Running" AND ${PROBLEMS}`,
      });
      found.push(...answer.executions.flatMap(({ execution }) => execution?.workflowId ?? []));
      ({ nextPageToken } = answer);
    } while (nextPageToken.length > 0 && found.length < limit);
    return found;
  } catch (error) {
    if (grpcCode(error) === GrpcCode.INVALID_ARGUMENT) return undefined;
    throw error;
  }
}

/** Undefined if its Workflow Task does not fail, or if there is no such execution. */
export async function findStuckWorkflowTask(
  client: Client,
  workflowId: string,
): Promise<StuckWorkflowTask | undefined> {
  try {
    const { runId, raw } = await client.workflow.getHandle(workflowId).describe();
    const { attempt } = raw.pendingWorkflowTask ?? {};
    if (attempt == null || attempt <= ATTEMPTS_MAX) return undefined;
    return { workflowId, runId, attempt, ...(await firstFailure(client, workflowId, runId)) };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}

/** Only the first failure of a series is an event. */
async function firstFailure(
  client: Client,
  workflowId: string,
  runId: string,
): Promise<Pick<StuckWorkflowTask, 'since' | 'message'>> {
  const { history } = await client.workflowService.getWorkflowExecutionHistoryReverse({
    namespace: client.options.namespace,
    execution: { workflowId, runId },
    maximumPageSize: EVENTS_READ,
  });
  const events = history?.events ?? [];
  const event = events.find(
    (each) => each.workflowTaskFailedEventAttributes ?? each.workflowTaskTimedOutEventAttributes,
  );
  const failed = event?.workflowTaskFailedEventAttributes;
  const message = failed?.failure?.message ?? 'no Worker has completed it in time';
  return {
    since: new Date(Number((event ?? events[0])?.eventTime?.seconds ?? 0) * 1_000).toISOString(),
    message: withoutSecrets(message).slice(0, MESSAGE_LENGTH_MAX),
  };
}
