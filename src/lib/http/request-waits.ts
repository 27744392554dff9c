import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { withDeadline } from '../timing/with-deadline.ts';
import { preferredWaitSeconds } from './preferred-wait.ts';
import { createRequestSignals } from './request-signals.ts';

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
  const signalOf = createRequestSignals(app);
  let waiting = 0;
  return async (request, reply, wait) => {
    const seconds = preferredWaitSeconds(request.headers['prefer'], secondsMax);
    if (seconds === undefined || waiting >= requestsMax) return undefined;
    const gone = signalOf(request);
    waiting += 1;
    try {
      const result = await withDeadline(seconds * 1_000, (signal) => wait(signal, seconds), gone.signal);
      reply.header('preference-applied', `wait=${String(seconds)}`);
      return result;
    } finally {
      waiting -= 1;
      gone.end();
    }
  };
}
