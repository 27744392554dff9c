import { WorkflowExecutionAlreadyStartedError, type WorkflowClient } from '@temporalio/client';
import type { Logger } from 'pino';
import { createRepetitionFilter } from '../../lib/repetition-filter.ts';
import { GrpcCode, grpcCode } from '../../lib/temporal/grpc-code.ts';
import { claimStarts, type ClaimedStart, forgetStarts, holdPaused, releaseStarts } from '../store/outbox.ts';
import type { Store } from '../store/open-store.ts';
import { workflowSummary } from '../store/workflow-summary.ts';
import type { EmailServiceNames } from '../workflows/email-service-names.ts';

interface DispatchReport {
  readonly started: number;
  /** Rows that stay because Temporal did not acknowledge their start. */
  readonly failed: number;
}

export interface OutboxDispatcher {
  /** Starts the Workflows in the outbox, but none for emails that wait for the resume of their accounts. Calls during a round share one further round after it. */
  dispatch(): Promise<DispatchReport>;
  /** The same without waiting; never throws, because the sweep retries rows that stay. */
  readonly dispatchSoon: () => void;
  /** Starts nothing more, and resolves when pending starts have finished. */
  stop(): Promise<void>;
}

export interface OutboxDispatcherOptions {
  readonly store: Store;
  /** Runs calls to Temporal with a deadline on the caller's connection. */
  readonly withDeadline: <T>(timeoutMs: number, call: () => Promise<T>) => Promise<T>;
  readonly workflows: WorkflowClient;
  readonly names: EmailServiceNames;
  readonly logger: Logger;
}

/** Enough concurrent starts to fill a connection, few enough not to delay a Worker on it. */
const STARTS_AT_ONCE = 20;
/** An acknowledgement takes milliseconds; after this, Temporal counts as unreachable and the sweep retries the row. */
const START_TIMEOUT_MS = 5_000;

export function createOutboxDispatcher(options: OutboxDispatcherOptions): OutboxDispatcher {
  const { store, workflows, names, withDeadline, logger } = options;
  let running: Promise<DispatchReport> | undefined;
  let next: Promise<DispatchReport> | undefined;
  let stopped = false;
  const leftOutOf = createRepetitionFilter();

  const run = (): Promise<DispatchReport> => {
    running = dispatchAll().finally(() => {
      running = undefined;
    });
    return running;
  };
  const dispatch = (): Promise<DispatchReport> => {
    if (stopped) return Promise.resolve({ started: 0, failed: 0 });
    if (running === undefined) return run();
    // A row committed after the current round read the table must not wait for the sweep.
    next ??= running.then(ignore, ignore).then(() => {
      next = undefined;
      return run();
    });
    return next;
  };
  return {
    dispatch,
    dispatchSoon: () => {
      dispatch().catch((error: unknown) => {
        logger.error({ err: error }, 'cannot read the outbox; the sweep retries');
      });
    },
    stop: async () => {
      stopped = true;
      await (next ?? running)?.then(ignore, ignore);
    },
  };

  async function dispatchAll(): Promise<DispatchReport> {
    const report = { started: 0, failed: 0 };
    while (!stopped) {
      const claimed = await claimStarts(store, STARTS_AT_ONCE);
      const ids = claimed.map(({ workflow_id: id }) => id);
      const held = await holdPaused(store, ids);
      const rows = claimed.filter(({ workflow_id: id }) => !held.has(id));
      const ends = await Promise.all(rows.map(start));
      const idsOf = (end: StartEnd): string[] =>
        rows.filter((_, index) => ends[index] === end).map((row) => row.workflow_id);
      const started = idsOf('started');
      const unreachable = idsOf('unreachable');
      await forgetStarts(store, started);
      // Refused rows stay claimed for some seconds, so that they do not hold up those behind them.
      await releaseStarts(store, unreachable);
      report.started += started.length;
      report.failed += rows.length - started.length;
      const isUnreachable = rows.length > 0 && unreachable.length === rows.length;
      if (claimed.length < STARTS_AT_ONCE || isUnreachable) break;
    }
    return report;
  }

  async function start(row: ClaimedStart): Promise<StartEnd> {
    const workflowId = names.workflowId(row.workflow_id);
    const staticSummary = await workflowSummary(store, row);
    try {
      await withDeadline(START_TIMEOUT_MS, () =>
        workflows.start(row.workflow_type, {
          workflowId,
          taskQueue: names.taskQueue,
          args: [JSON.parse(row.input)],
          // A row whose deletion was lost must not restart a finished Workflow; one that an operator terminated may continue. Domains are
          // checked again and again.
          workflowIdReusePolicy:
            row.workflow_type === 'verifyDomain' ? 'ALLOW_DUPLICATE' : 'ALLOW_DUPLICATE_FAILED_ONLY',
          ...(staticSummary === undefined ? {} : { staticSummary }),
          ...(row.due_in_ms > 0 ? { startDelay: row.due_in_ms } : {}),
        }),
      );
      return 'started';
    } catch (error) {
      if (error instanceof WorkflowExecutionAlreadyStartedError) return 'started';
      const end = isRefusal(error) ? 'refused' : 'unreachable';
      // Every sweep fails on the same rows again, and an unreachable Temporal fails all of them for one cause.
      const leftOut = leftOutOf(end === 'refused' ? workflowId : end);
      if (leftOut !== undefined) {
        logger.warn(
          { err: error, workflowId, leftOut },
          'cannot start a Workflow; its outbox row stays and the sweep retries it',
        );
      }
      return end;
    }
  }
}

const ignore = (): void => undefined;

type StartEnd = 'started' | 'refused' | 'unreachable';

/** Whether the failure concerns only this row: the server rejects it as invalid, or the call could not be built. */
function isRefusal(error: unknown): boolean {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  const code = grpcCode(cause);
  return code === undefined || code === GrpcCode.INVALID_ARGUMENT;
}
