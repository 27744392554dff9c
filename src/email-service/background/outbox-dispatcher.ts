import { isGrpcServiceError, WorkflowExecutionAlreadyStartedError, type WorkflowClient } from '@temporalio/client';
import type { Logger } from 'pino';
import { createRepetitionFilter } from '../../lib/repetition-filter.ts';
import { forgetStarts, pendingStarts } from '../store/outbox.ts';
import type { Store } from '../store/open-store.ts';
import type { OutboxTable } from '../store/schema.ts';
import type { EmailServiceNames } from '../workflows/email-service-names.ts';

export interface DispatchReport {
  readonly started: number;
  /** How many rows stay, because Temporal did not acknowledge their start. */
  readonly failed: number;
}

export interface OutboxDispatcher {
  /** Starts what the outbox owes. Calls that come while it is at work are answered by one more round after it. */
  dispatch(): Promise<DispatchReport>;
  /** The same without waiting; never throws, because the row stays and is swept. */
  readonly dispatchSoon: () => void;
  /** Resolves once nothing is under way; nothing is started any more. */
  stop(): Promise<void>;
}

export interface OutboxDispatcherOptions {
  readonly store: Store;
  /** Runs the calls to Temporal within a deadline, which the caller's connection knows how to set. */
  readonly withDeadline: <T>(timeoutMs: number, call: () => Promise<T>) => Promise<T>;
  readonly workflows: WorkflowClient;
  readonly names: Pick<EmailServiceNames, 'taskQueue' | 'workflowId'>;
  readonly logger: Logger;
}

/** Starts under way at once: enough to fill a connection, few enough not to delay a Worker on it. */
const STARTS_AT_ONCE = 20;
/** An acknowledgement takes milliseconds; later than this, Temporal is out of reach and the sweep comes back to the row. */
const START_TIMEOUT_MS = 5_000;

export function createOutboxDispatcher(options: OutboxDispatcherOptions): OutboxDispatcher {
  const { store, logger } = options;
  let running: Promise<DispatchReport> | undefined;
  let next: Promise<DispatchReport> | undefined;
  let stopped = false;
  const leftOutOf = createRepetitionFilter();

  const run = (): Promise<DispatchReport> => {
    running = dispatchAll(options, () => stopped).finally(() => {
      running = undefined;
    });
    return running;
  };
  const dispatch = (): Promise<DispatchReport> => {
    if (stopped) return Promise.resolve({ started: 0, failed: 0 });
    if (running === undefined) return run();
    // A row that was committed after the present round has read the table must not wait for the sweep.
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
        logger.error({ err: error }, 'the outbox could not be read');
      });
    },
    stop: async () => {
      stopped = true;
      await (next ?? running)?.then(ignore, ignore);
    },
  };

  async function dispatchAll(
    { store: outbox }: OutboxDispatcherOptions,
    isStopped: () => boolean,
  ): Promise<DispatchReport> {
    const report = { started: 0, failed: 0 };
    let last: OutboxTable | undefined;
    while (!isStopped()) {
      const rows = await pendingStarts(outbox, STARTS_AT_ONCE, last);
      last = rows.at(-1);
      if (last === undefined) break;
      const ends = await Promise.all(rows.map((row) => start(row, options, leftOutOf)));
      const acknowledged = rows.filter((_, index) => ends[index] === 'started').map((row) => row.workflow_id);
      await forgetStarts(store, acknowledged);
      report.started += acknowledged.length;
      report.failed += rows.length - acknowledged.length;
      // Rows that are refused, however many, must not keep those behind them waiting; Temporal out of reach does anyway.
      if (ends.every((end) => end === 'outOfReach')) break;
    }
    return report;
  }
}

const ignore = (): void => undefined;

type StartEnd = 'started' | 'refused' | 'outOfReach';

async function start(
  row: OutboxTable,
  { workflows, names, withDeadline, logger }: OutboxDispatcherOptions,
  leftOutOf: (key: string) => number | undefined,
): Promise<StartEnd> {
  const workflowId = names.workflowId(row.workflow_id);
  try {
    await withDeadline(START_TIMEOUT_MS, () =>
      workflows.start(row.workflow_type, {
        workflowId,
        taskQueue: names.taskQueue,
        args: [JSON.parse(row.input)],
        // A row whose deletion was lost must not bring a finished Workflow back.
        workflowIdReusePolicy: 'REJECT_DUPLICATE',
      }),
    );
    return 'started';
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return 'started';
    const end = isRefusal(error) ? 'refused' : 'outOfReach';
    // Every sweep finds the same rows again, and while Temporal is out of reach all rows have the same cause.
    const leftOut = leftOutOf(end === 'refused' ? workflowId : end);
    if (leftOut !== undefined) {
      logger.warn({ err: error, workflowId, leftOut }, 'a Workflow could not be started; its outbox row stays');
    }
    return end;
  }
}

const GRPC_INVALID_ARGUMENT = 3;

/** About this one row: the server says that it breaks a rule, or it could not even be asked. */
function isRefusal(error: unknown): boolean {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  if (!isGrpcServiceError(cause)) return true;
  const code: number = cause.code;
  return code === GRPC_INVALID_ARGUMENT;
}
