import type { FastifyInstance } from 'fastify';
import type { ServerResponse } from 'node:http';

/** Runs what a request waits for. The signal aborts when the caller hangs up or the program closes. */
export type RequestWaits = <Result>(
  reply: { readonly raw: ServerResponse },
  wait: (signal: AbortSignal) => Promise<Result>,
) => Promise<Result>;

export function createRequestWaits(app: FastifyInstance): RequestWaits {
  const waits = new Set<AbortController>();
  let isClosing = false;
  app.addHook('preClose', async () => {
    isClosing = true;
    for (const each of waits) each.abort();
  });
  return async ({ raw }, wait) => {
    const controller = new AbortController();
    const end = (): void => {
      controller.abort();
    };
    if (isClosing || raw.destroyed) end();
    raw.once('close', end);
    waits.add(controller);
    try {
      return await wait(controller.signal);
    } finally {
      waits.delete(controller);
      raw.off('close', end);
    }
  };
}
