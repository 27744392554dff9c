import { WorkflowExecutionAlreadyStartedError, type WorkflowClient } from '@temporalio/client';
import type { Logger } from 'pino';
import { forgetStarts, pendingStarts } from './store/pending-starts.ts';
import type { Store } from './store/open-store.ts';
import type { OutboxTable } from './store/schema.ts';
import { EMAIL_SERVICE_TASK_QUEUE } from './workflow-ids.ts';

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
  readonly logger: Logger;
}

const BATCH_ROWS = 100;
/** Starts under way at once: enough to fill a connection, few enough not to delay a Worker on it. */
const STARTS_AT_ONCE = 20;
/** An acknowledgement takes milliseconds; later than this, Temporal is out of reach and the sweep comes back to the row. */
const START_TIMEOUT_MS = 5_000;

export function createOutboxDispatcher(options: OutboxDispatcherOptions): OutboxDispatcher {
  const { store, logger } = options;
  let running: Promise<DispatchReport> | undefined;
  let next: Promise<DispatchReport> | undefined;
  let stopped = false;

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
    const failed: string[] = [];
    let started = 0;
    while (!isStopped()) {
      const rows = await pendingStarts(outbox, BATCH_ROWS, failed);
      if (rows.length === 0) break;
      const acknowledged = await startAll(rows, options);
      await forgetStarts(store, acknowledged);
      started += acknowledged.length;
      failed.push(...rows.map((row) => row.workflow_id).filter((id) => !acknowledged.includes(id)));
      // When nothing of a batch is taken, Temporal is out of reach, and the next batch would fare no better.
      if (acknowledged.length === 0) break;
    }
    return { started, failed: failed.length };
  }
}

const ignore = (): void => undefined;

/** @returns the Workflow Ids that Temporal has acknowledged */
async function startAll(rows: readonly OutboxTable[], options: OutboxDispatcherOptions): Promise<string[]> {
  const acknowledged: string[] = [];
  for (let from = 0; from < rows.length; from += STARTS_AT_ONCE) {
    const starts = rows.slice(from, from + STARTS_AT_ONCE).map(async (row) => {
      if (await start(row, options)) acknowledged.push(row.workflow_id);
    });
    await Promise.all(starts);
    if (acknowledged.length === 0) break;
  }
  return acknowledged;
}

async function start(row: OutboxTable, { workflows, withDeadline, logger }: OutboxDispatcherOptions): Promise<boolean> {
  const { workflow_id: workflowId, workflow_type: workflowType } = row;
  try {
    await withDeadline(START_TIMEOUT_MS, () =>
      workflows.start(workflowType, {
        workflowId,
        taskQueue: EMAIL_SERVICE_TASK_QUEUE,
        args: [JSON.parse(row.input)],
        // A row whose deletion was lost must not bring a finished Workflow back.
        workflowIdReusePolicy: 'REJECT_DUPLICATE',
      }),
    );
    return true;
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return true;
    logger.warn({ err: error, workflowId }, 'a Workflow could not be started; its outbox row stays');
    return false;
  }
}
