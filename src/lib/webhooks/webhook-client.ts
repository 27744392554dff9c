import { Agent, request } from 'undici';
import { ADDRESS_REFUSED, checkingConnector } from '../http/checking-connector.ts';
import { ANSWER_TOO_LARGE } from '../http/limit-answers.ts';
import { retryAfterMs } from '../http/retry-after.ts';
import { withDeadline } from '../timing/with-deadline.ts';
import type { AddressPolicy } from '../dns/address-policy.ts';

export type PostOutcome =
  | { readonly kind: 'answered'; readonly statusCode: number; readonly retryAfterMs: number | undefined }
  /** No response, or an incomplete one (RFC 9112 section 8). `reason`: a clause without the URL's path or the body. */
  | { readonly kind: 'unanswered'; readonly reason: string };

export interface WebhookClient {
  /** Every error is an outcome; throws only the reason of an aborted `signal`. Does not follow redirects. */
  post(
    url: string,
    headers: Readonly<Record<string, string>>,
    body: string,
    signal?: AbortSignal,
  ): Promise<PostOutcome>;
  close(): Promise<void>;
}

export interface WebhookClientOptions {
  readonly allowHttp: boolean;
  readonly mayConnectTo: AddressPolicy;
  readonly now: () => Date;
  /** @default 15 seconds, for the whole exchange: receivers should store the event and answer before they process it */
  readonly timeoutMs?: number;
  /** All addresses of a host name. @default the system's resolver */
  readonly lookUp?: (hostname: string) => Promise<readonly { readonly address: string; readonly family: number }[]>;
}

const TIMEOUT_MS = 15_000;
/** A response needs no body, but some receivers send an HTML page. */
const ANSWER_BYTES_MAX = 1024 * 1024;

export function createWebhookClient(options: WebhookClientOptions): WebhookClient {
  const { allowHttp, now, timeoutMs = TIMEOUT_MS } = options;
  const agent = new Agent({ connect: checkingConnector({ ...options, timeoutMs, answerBytesMax: ANSWER_BYTES_MAX }) });
  return {
    async post(url, headers, body, outerSignal) {
      if (!allowHttp && !url.startsWith('https:')) return { kind: 'unanswered', reason: 'the URL is not https' };
      try {
        return await withDeadline(
          timeoutMs,
          async (signal) => {
            const answer = await request(url, {
              method: 'POST',
              headers: { ...headers, 'content-type': 'application/json', 'user-agent': 'sendoff' },
              body,
              dispatcher: agent,
              signal,
            });
            await readToEnd(answer.statusCode, answer.body);
            const waitMs = retryAfterMs(answer.headers['retry-after'], now().getTime());
            return { kind: 'answered', statusCode: answer.statusCode, retryAfterMs: waitMs };
          },
          outerSignal,
        );
      } catch (error) {
        outerSignal?.throwIfAborted();
        return { kind: 'unanswered', reason: reasonOf(error, timeoutMs) };
      }
    },
    close: () => agent.destroy(),
  };
}

class IncompleteResponse extends Error {}

/** A receiver that hangs or disconnects within its response has failed, regardless of the status. */
async function readToEnd(statusCode: number, body: AsyncIterable<Buffer>): Promise<void> {
  const status = `answered ${String(statusCode)}`;
  let bytes = 0;
  try {
    for await (const chunk of body) {
      bytes += chunk.length;
      if (bytes > ANSWER_BYTES_MAX)
        throw new IncompleteResponse(`${status}, but the response is larger than ${String(ANSWER_BYTES_MAX)} bytes`);
    }
  } catch (error) {
    if (error instanceof IncompleteResponse) throw error;
    throw new IncompleteResponse(`${status}, but the response is ${isTooLarge(error) ? 'too large' : 'incomplete'}`);
  }
}

const isTooLarge = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === ANSWER_TOO_LARGE;

function reasonOf(error: unknown, timeoutMs: number): string {
  if (error instanceof IncompleteResponse) return error.message;
  if (error instanceof Error && error.name === 'TimeoutError')
    return `no answer within ${String(timeoutMs / 1_000)} seconds`;
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
  if (isTooLarge(error)) return 'the response is too large';
  if (code === ADDRESS_REFUSED) return 'the host has no public address';
  return `connection failed (${code})`;
}
