import { setMaxListeners } from 'node:events';

/**
 * Returns a controller that aborts with the signal. Replaces AbortSignal.any, whose result can be garbage-collected while a
 * request waits for it (https://github.com/nodejs/node/issues/57867).
 */
export function followAbort(signal: AbortSignal): AbortController {
  const controller = new AbortController();
  // Many requests may follow one signal.
  setMaxListeners(0, controller.signal);
  const follow = (): void => {
    controller.abort(signal.reason);
  };
  if (signal.aborted) follow();
  signal.addEventListener('abort', follow, { once: true, signal: controller.signal });
  return controller;
}
