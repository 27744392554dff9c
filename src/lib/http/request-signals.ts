import type { FastifyInstance, FastifyRequest } from 'fastify';
import { setMaxListeners } from 'node:events';
import { followAbort } from '../timing/follow-abort.ts';
import { onHangUp } from './on-hang-up.ts';

/** Aborts when the caller hangs up, and when the program closes. Call `end` when the request waits no longer. */
export type RequestSignals = (request: FastifyRequest) => { readonly signal: AbortSignal; readonly end: () => void };

export function createRequestSignals(app: FastifyInstance): RequestSignals {
  const closing = new AbortController();
  // Each request that waits has one.
  setMaxListeners(0, closing.signal);
  app.addHook('preClose', async () => {
    closing.abort();
  });
  return (request) => {
    const over = followAbort(closing.signal);
    const endListening = onHangUp(request, () => {
      over.abort();
    });
    const end = (): void => {
      endListening();
      // It follows the other signal no longer.
      over.abort();
    };
    return { signal: over.signal, end };
  };
}
