import {
  type Client,
  WorkflowExecutionAlreadyStartedError,
  type WorkflowExecutionDescription,
  WorkflowFailedError,
} from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { type CheckInput, comparableCheck, summaryOf } from '../../agents-md/check-input.ts';
import type { CheckResult, LastConclusive } from '../../agents-md/check-result.ts';
import { checkWorkflowId } from '../../agents-md/check-ids.ts';
import type { CheckStore } from '../../store/agents-md/check-store.ts';
import { CHECK_TASK_QUEUE, CHECK_WORKFLOW_TYPE, checkProgressQuery } from '../../workflows/messages.ts';
import { producerKey } from '../../workflows/search-attributes.ts';
import { differingFields } from '../../lib/differing-fields.ts';
import { describeExecution, queryOrNull, withCallTimeout } from '../temporal-calls.ts';
import { temporalUi } from '../temporal-ui.ts';
import { type PendingActivity, waitingFor } from '../onboarding/waiting-for.ts';

export interface RunningCheck {
  workflowId: string;
  runId: string;
  /** ISO 8601, UTC. */
  startedAt: string;
  waitingFor: PendingActivity[];
  /** Markdown: the host's responses so far, and the current request; null if no Worker answers. */
  details: string | null;
  /** The request that the check is making, in one line; null if there is none, and if no Worker answers. */
  currentRequest: string | null;
}

export interface CheckView {
  producerId: string;
  running: RunningCheck | null;
  latest: CheckResult | null;
  /** Last conclusive result that the latest check knows, even if it was inconclusive itself. */
  lastConclusive: LastConclusive | null;
  /** Why the last check has no result; null if it or a later check has one. */
  failure: { message: string } | null;
  /** Link to the running check, otherwise to the last one; null if the URL of the Temporal UI is not configured. */
  uiUrl: string | null;
}

interface CheckRun {
  readonly workflowId: string;
  readonly runId: string;
}

export type CheckStart =
  | { kind: 'started' | 'joined'; run: CheckRun }
  /** A check of the producer with another input is running. */
  | { kind: 'different'; run: CheckRun; fields: string[] };

export type AgentsMdChecks = ReturnType<typeof createAgentsMdChecks>;

/** A run may end before it is described; after three such races, report a conflict. */
const START_ATTEMPTS_MAX = 3;

/** Checks by producer, whether requested or of the sweep. Throws the Temporal Client's errors if the server cannot be reached. */
export function createAgentsMdChecks(
  client: Client,
  { checks, uiUrl }: { checks: Pick<CheckStore, 'get'>; uiUrl: string | undefined },
) {
  const ui = temporalUi(uiUrl, client.options.namespace);

  async function show(description: WorkflowExecutionDescription, withDetails: boolean): Promise<RunningCheck> {
    const { workflowId, runId, startTime } = description;
    const handle = client.workflow.getHandle(workflowId, runId);
    const progress = withDetails ? await queryOrNull(client, () => handle.query(checkProgressQuery)) : null;
    return {
      workflowId,
      runId,
      startedAt: startTime.toISOString(),
      waitingFor: waitingFor(description),
      details: progress?.details ?? null,
      currentRequest: progress?.currentRequest ?? null,
    };
  }

  async function failureOf(asked: WorkflowExecutionDescription): Promise<CheckView['failure']> {
    const { workflowId, runId, status } = asked;
    const handle = client.workflow.getHandle(workflowId, runId, { firstExecutionRunId: runId });
    const error: unknown = await withCallTimeout(client, () => handle.result()).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    if (!(error instanceof WorkflowFailedError)) return null;
    const { cause } = error;
    return {
      message:
        cause instanceof ApplicationFailure
          ? cause.message
          : `The check ended without a result: ${status.name.toLowerCase().replace('_', ' ')}`,
    };
  }

  return {
    /** Starts a check of the producer, or joins the running one. */
    async start(input: CheckInput): Promise<CheckStart> {
      const workflowId = checkWorkflowId(input.producerId);
      for (let attempt = 1; ; attempt++) {
        try {
          const { firstExecutionRunId: runId } = await withCallTimeout(client, () =>
            client.workflow.start(CHECK_WORKFLOW_TYPE, {
              workflowId,
              taskQueue: CHECK_TASK_QUEUE,
              args: [input],
              workflowIdReusePolicy: 'ALLOW_DUPLICATE',
              workflowIdConflictPolicy: 'FAIL',
              staticSummary: summaryOf(input),
              typedSearchAttributes: [{ key: producerKey, value: input.producerId }],
              memo: { input },
            }),
          );
          return { kind: 'started', run: { workflowId, runId } };
        } catch (error) {
          if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
        }
        const met = await withCallTimeout(client, () => client.workflow.getHandle(workflowId).describe());
        const run = { workflowId, runId: met.runId };
        const fields = differingFields(comparableCheck(input), comparableCheck(met.memo?.['input'] ?? {}));
        if (fields.length === 0) return { kind: 'joined', run };
        if (met.status.name === 'RUNNING' || attempt === START_ATTEMPTS_MAX) return { kind: 'different', run, fields };
      }
    },

    /** Resolves with true when the run ends, however it ends; with false when the signal is aborted. */
    async untilEnded({ workflowId, runId }: CheckRun, signal: AbortSignal): Promise<boolean> {
      try {
        await client.withAbortSignal(signal, () => client.workflow.getHandle(workflowId, runId).result());
        return true;
      } catch (error) {
        if (error instanceof WorkflowFailedError) return true;
        if (signal.aborted) return false;
        throw error;
      }
    },

    /**
     * Undefined if the producer was never checked.
     *
     * @param producerId a valid one
     * @param options.withDetails false: sends no Query
     */
    async get(producerId: string, { withDetails = true } = {}): Promise<CheckView | undefined> {
      const asked = await describeExecution(client, checkWorkflowId(producerId));
      const isUnderWay = asked?.status.name === 'RUNNING';
      // Read last, so that a run that has ended by now has left its result.
      const latest = (await checks.get(producerId))?.check.result ?? null;
      if (asked === undefined && latest === null) return undefined;
      const isAnswered =
        asked === undefined ||
        isUnderWay ||
        (latest !== null && Date.parse(latest.checkedAt) >= asked.startTime.getTime());
      return {
        producerId,
        running: isUnderWay ? await show(asked, withDetails) : null,
        latest,
        lastConclusive: latest?.lastConclusive ?? null,
        failure: isAnswered ? null : await failureOf(asked),
        uiUrl: asked === undefined ? null : ui(asked),
      };
    },
  };
}
