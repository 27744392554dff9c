import { retryAfterMs } from '../lib/http/retry-after.ts';
import { withDeadline } from '../lib/timing/with-deadline.ts';
import { pause } from './pause.ts';
import { SendoffError } from './sendoff-error.ts';

export type Fetch = (request: Request) => Promise<Response>;

/** Further attempts of one call, each only when the server asks for it with Retry-After. */
const RETRIES_MAX = 2;
/** A longer pause is the caller's to decide. */
const RETRY_AFTER_MS_MAX = 10_000;

const retryStatuses: readonly number[] = [429, 503];
const idempotentMethods: readonly string[] = ['GET', 'HEAD', 'PUT', 'DELETE'];

/**
 * Limits each attempt, with the body of its response, to the call's own `timeoutMs` or this one, and repeats an idempotent call as Retry-After asks.
 *
 * @throws SendoffError `timed_out` or `unreachable`, or the reason of the request's own signal
 */
export const boundedFetch =
  (fetch: Fetch, timeoutMs: number): Fetch =>
  async (request: Request & { readonly timeoutMs?: number }) => {
    const isIdempotent = idempotentMethods.includes(request.method) || request.headers.has('idempotency-key');
    for (let retries = 0; ; retries++) {
      const response = await attempt(fetch, request.clone(), request.timeoutMs ?? timeoutMs);
      const pauseMs = retryAfterMs(response.headers.get('retry-after') ?? undefined, Date.now());
      const isLast = retries === RETRIES_MAX || !isIdempotent || !retryStatuses.includes(response.status);
      if (isLast || pauseMs === undefined || pauseMs > RETRY_AFTER_MS_MAX) return response;
      await pause(pauseMs, request.signal);
    }
  };

async function attempt(fetch: Fetch, request: Request, timeoutMs: number): Promise<Response> {
  try {
    return await withDeadline(
      timeoutMs,
      async (signal) => {
        const response = await fetch(new Request(request, { signal }));
        const content = await response.arrayBuffer();
        // A response of some statuses, such as 204, must not have a body, not even an empty one.
        return new Response(content.byteLength === 0 ? null : content, response);
      },
      request.signal,
    );
  } catch (cause) {
    throw request.signal.aborted ? request.signal.reason : connectionError(request.url, cause);
  }
}

/** Why there is no response. */
export function connectionError(url: string, cause: unknown): SendoffError {
  const isLate = cause instanceof Error && cause.name === 'TimeoutError';
  return new SendoffError(
    {
      status: null,
      code: isLate ? 'timed_out' : 'unreachable',
      detail: `no answer from ${new URL(url).origin} (${reasonOf(cause)})`,
    },
    { cause },
  );
}

/** The error of fetch names the reason only in its cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error';
  if (error.cause !== undefined) return reasonOf(error.cause);
  return error.message === '' && 'code' in error ? String(error.code) : error.message;
}
