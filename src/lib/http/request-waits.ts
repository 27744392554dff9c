import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { onHangUp } from './on-hang-up.ts';
import { withDeadline } from '../timing/with-deadline.ts';
import { preferredWaitSeconds } from './preferred-wait.ts';

/**
 * Waits as long as the request prefers, and says so in the answer. The signal aborts after that time, when the caller hangs up and when
 * the program closes. Undefined if the request prefers no wait, or too many others wait.
 */
export type RequestWaits = <Result>(
  request: FastifyRequest,
  reply: Pick<FastifyReply, 'header'>,
  wait: (signal: AbortSignal, seconds: number) => Promise<Result>,
) => Promise<Result | undefined>;

export function createRequestWaits(
  app: FastifyInstance,
  { secondsMax, requestsMax = Infinity }: { readonly secondsMax: number; readonly requestsMax?: number },
): RequestWaits {
  const waits = new Set<AbortController>();
  let isClosing = false;
  app.addHook('preClose', async () => {
    isClosing = true;
    for (const each of waits) each.abort();
  });
  return async (request, reply, wait) => {
    const seconds = preferredWaitSeconds(request.headers['prefer'], secondsMax);
    if (seconds === undefined || waits.size >= requestsMax) return undefined;
    const controller = new AbortController();
    const end = (): void => {
      controller.abort();
    };
    if (isClosing) end();
    const endListening = onHangUp(request, end);
    waits.add(controller);
    try {
      const result = await withDeadline(seconds * 1_000, (signal) => wait(signal, seconds), controller.signal);
      reply.header('preference-applied', `wait=${String(seconds)}`);
      return result;
    } finally {
      waits.delete(controller);
      endListening();
    }
  };
}
