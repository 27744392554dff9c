import { followAbort } from './follow-abort.ts';

/**
 * Runs `work` with a signal that aborts with a TimeoutError after `ms`, or with the reason of `outer`. Holds the timer until
 * the work ends: the one inside AbortSignal.any([signal, AbortSignal.timeout(ms)]) can be
 * garbage-collected before it fires (https://github.com/nodejs/node/issues/57867).
 */
export async function withDeadline<Result>(
  ms: number,
  work: (signal: AbortSignal) => Promise<Result>,
  outer?: AbortSignal,
): Promise<Result> {
  const controller = outer === undefined ? new AbortController() : followAbort(outer);
  const timer = setTimeout(() => {
    controller.abort(new DOMException(`not completed within ${ms} ms`, 'TimeoutError'));
  }, ms);
  try {
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
    // Ends what the work left running, and removes the listener from the outer signal.
    controller.abort();
  }
}
