import { setMaxListeners } from 'node:events';

/**
 * A controller that is aborted with the signal, too. Not AbortSignal.any: on Node 20 its result, and with it the timer of an
 * AbortSignal.timeout, can be collected as garbage while somebody still waits for it.
 */
export function followAbort(signal: AbortSignal): AbortController {
  const controller = new AbortController();
  // Every tenant of a run waits for the same end.
  setMaxListeners(0, controller.signal);
  const follow = (): void => {
    controller.abort(signal.reason);
  };
  if (signal.aborted) follow();
  signal.addEventListener('abort', follow, { once: true, signal: controller.signal });
  return controller;
}
