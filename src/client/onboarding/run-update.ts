import {
  type Client,
  ServiceError,
  type WorkflowHandle,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  type WorkflowUpdateHandle,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client';
import { ActivityFailure, ApplicationFailure } from '@temporalio/common';
import { serverTimeMs } from '../../lib/temporal/server-time.ts';
import { GrpcCode, grpcCode } from '../../lib/temporal/grpc-code.ts';
import type { TemporalPresence } from '../temporal-presence.ts';
import { probeWorkers } from '../worker-presence.ts';

/** The Workflow Task that would have executed the Update has failed, as where a Workflow ends while the Update arrives. */
const isTaskFailure = (error: unknown): boolean =>
  error instanceof ServiceError && grpcCode(error.cause) === GrpcCode.FAILED_PRECONDITION;

/** How an Update ended. */
export type UpdateOutcome<Result> =
  | { readonly kind: 'done'; readonly result: Result }
  /** By the Workflow's validator; a sentence without its full stop. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** By the Workflow's validator, until a time of the server that is so far away. */
  | { readonly kind: 'tooSoon'; readonly reason: string; readonly waitMs: number }
  /** The Workflow has accepted it and is executing it; the caller waits no longer. */
  | { readonly kind: 'begun' }
  /** The Activity that the Update runs did not succeed. */
  | { readonly kind: 'failed'; readonly reason: string }
  /** The Workflow has ended or never existed. */
  | { readonly kind: 'notRunning' }
  /** Not sent: Temporal cannot be reached. */
  | { readonly kind: 'unreachable' }
  /** Not sent: without a Worker, the caller would wait for the whole time of the Update. */
  | { readonly kind: 'noWorker' }
  /** A Worker polls, and the Workflow has not executed it in time: it may still do so. */
  | { readonly kind: 'unanswered' };

export interface UpdatePreparation {
  readonly taskQueue: string;
  readonly presence: () => Promise<TemporalPresence>;
  /** Called once nothing is known that would keep the Update from being executed. */
  readonly beforeSending: () => Promise<void>;
}

/** A busy Worker takes it late. */
const ACCEPTED_WITHIN_MS = 60_000;
/** Most checks take less; one at a provider that does not answer takes two minutes, and its result is recorded all the same. */
const ANSWERED_WITHIN_MS = 10_000;
/** Longer than the sticky timeout of two seconds, during which the server offers the probe to one Worker only. */
const TAKEN_WITHIN_MS = 4_000;

/** Starts an Update if a Worker polls, and waits some seconds for its result. Throws the Client's error if Temporal goes away meanwhile. */
export async function runUpdate<Result>(
  client: Client,
  { taskQueue, presence, beforeSending }: UpdatePreparation,
  handle: WorkflowHandle,
  start: (handle: WorkflowHandle) => Promise<WorkflowUpdateHandle<Result>>,
): Promise<UpdateOutcome<Result>> {
  const { reachable, workers } = await presence();
  if (!reachable) return { kind: 'unreachable' };
  // Temporal still lists a poller of a Worker that was killed a moment ago. One that is busy gets the whole time of the Update.
  const isSilent = async (): Promise<boolean> =>
    (await probeWorkers(client, { timeoutMs: TAKEN_WITHIN_MS, taskQueue, handle })) === 'silent';
  if (workers === 'none' || (workers === 'unknown' && (await isSilent()))) return { kind: 'noWorker' };
  await beforeSending();
  let accepted: WorkflowUpdateHandle<Result> | undefined;
  const send = () => client.withDeadline(Date.now() + ACCEPTED_WITHIN_MS, () => start(handle));
  try {
    // The repetition has the same Update ID, and finds a Workflow that has ended.
    const update = await send().catch((error: unknown) => {
      if (isTaskFailure(error)) return send();
      throw error;
    });
    accepted = update;
    return { kind: 'done', result: await client.withDeadline(Date.now() + ANSWERED_WITHIN_MS, () => update.result()) };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return { kind: 'notRunning' };
    if (isTaskFailure(error)) return { kind: 'unanswered' };
    if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError)
      return { kind: accepted === undefined ? 'unanswered' : 'begun' };
    if (!(error instanceof WorkflowUpdateFailedError)) throw error;
    const { cause } = error;
    if (cause instanceof ApplicationFailure && cause.type === 'UpdateRefused') {
      return { kind: 'refused', reason: cause.message };
    }
    if (cause instanceof ApplicationFailure && cause.type === 'UpdateTooSoon') {
      const waitMs = Date.parse(String(cause.details?.[0])) - (await serverTimeMs(client, client.options.namespace));
      return { kind: 'tooSoon', reason: cause.message, waitMs };
    }
    const reason = cause instanceof ActivityFailure ? cause.cause?.message : cause?.message;
    return { kind: 'failed', reason: reason ?? 'unknown reason' };
  }
}
