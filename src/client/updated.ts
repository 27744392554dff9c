import {
  type Client,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client';
import { ActivityFailure, ApplicationFailure } from '@temporalio/common';

/** How an Update ended. */
export type UpdateOutcome<Result> =
  | { readonly kind: 'done'; readonly result: Result }
  /** By the Workflow's validator; a sentence without its full stop. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** The Activity that the Update runs did not succeed. */
  | { readonly kind: 'failed'; readonly reason: string }
  /** The Workflow has ended or never existed. */
  | { readonly kind: 'notRunning' }
  /** No Worker executed it in time: it may still be executed when one does. */
  | { readonly kind: 'unanswered' };

/** A DNS check takes up to a minute. */
const UPDATE_TIMEOUT_MS = 60_000;

/** Executes an Update, and waits for its result. Throws the Client's error if Temporal cannot be reached. */
export async function updated<Result>(client: Client, update: () => Promise<Result>): Promise<UpdateOutcome<Result>> {
  try {
    return { kind: 'done', result: await client.withDeadline(Date.now() + UPDATE_TIMEOUT_MS, update) };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return { kind: 'notRunning' };
    if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError) return { kind: 'unanswered' };
    if (!(error instanceof WorkflowUpdateFailedError)) throw error;
    const { cause } = error;
    if (cause instanceof ApplicationFailure && cause.type === 'UpdateRefused') {
      return { kind: 'refused', reason: cause.message };
    }
    const reason = cause instanceof ActivityFailure ? cause.cause?.message : cause?.message;
    return { kind: 'failed', reason: reason ?? 'unknown reason' };
  }
}
