import { lookup as systemLookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { Agent, buildConnector, request } from 'undici';
import { retryAfterMs } from '../../lib/http/retry-after.ts';
import { withDeadline } from '../../lib/with-deadline.ts';
import { isPublicAddress } from '../../lib/dns/public-address.ts';

export type PostOutcome =
  | { readonly kind: 'answered'; readonly statusCode: number; readonly retryAfterMs: number | undefined }
  /** No answer, or one that did not end (RFC 9112 section 8). `reason`: a clause without anything of the URL's path or the body. */
  | { readonly kind: 'unanswered'; readonly reason: string };

export interface WebhookClient {
  /** Never throws: whatever goes wrong is an outcome. Redirects are not followed. */
  post(url: string, headers: Readonly<Record<string, string>>, body: string): Promise<PostOutcome>;
  close(): Promise<void>;
}

export interface WebhookClientOptions {
  /** Lets webhooks go to http and to private addresses, for laptops. */
  readonly allowPrivate: boolean;
  readonly now: () => Date;
  /** @default 15 seconds, for the whole exchange: receivers are to store the event and answer, not to work on it */
  readonly timeoutMs?: number;
  /** All addresses of a host name. @default the system's resolver */
  readonly lookUp?: (hostname: string) => Promise<readonly { readonly address: string; readonly family: number }[]>;
  /** Not asked when private addresses are allowed. @default isPublicAddress */
  readonly mayConnectTo?: (address: string) => boolean;
}

const TIMEOUT_MS = 15_000;
/** An answer needs no body at all; some receivers send a page of HTML. */
const ANSWER_BYTES_MAX = 1024 * 1024;

const ADDRESS_REFUSED = 'ERR_ADDRESS_REFUSED';

export function createWebhookClient(options: WebhookClientOptions): WebhookClient {
  const { allowPrivate, now, timeoutMs = TIMEOUT_MS } = options;
  const agent = new Agent({ connect: allowPrivate ? { timeout: timeoutMs } : publicConnector(options, timeoutMs) });
  return {
    async post(url, headers, body) {
      if (!allowPrivate && !url.startsWith('https:')) return { kind: 'unanswered', reason: 'the URL is not https' };
      try {
        return await withDeadline(timeoutMs, async (signal) => {
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
        });
      } catch (error) {
        return { kind: 'unanswered', reason: reasonOf(error, timeoutMs) };
      }
    },
    close: () => agent.destroy(),
  };
}

class UnendedAnswer extends Error {}

/** A status alone is not an answer: a receiver that hangs or breaks off within its answer has failed. */
async function readToEnd(statusCode: number, body: AsyncIterable<Buffer>): Promise<void> {
  const status = `answered ${String(statusCode)}`;
  let bytes = 0;
  try {
    for await (const chunk of body) {
      bytes += chunk.length;
      if (bytes > ANSWER_BYTES_MAX)
        throw new UnendedAnswer(`${status}, but the answer is larger than ${String(ANSWER_BYTES_MAX)} bytes`);
    }
  } catch (error) {
    throw error instanceof UnendedAnswer ? error : new UnendedAnswer(`${status}, but the answer did not end`);
  }
}

/**
 * Connects only to public addresses. What is checked is the address the socket is opened to, so a name that resolves to
 * a public address when it is looked at and to a private one a moment later gains nothing.
 */
function publicConnector(options: WebhookClientOptions, timeoutMs: number): buildConnector.connector {
  const { lookUp = (hostname: string) => systemLookup(hostname, { all: true }), mayConnectTo = isPublicAddress } =
    options;
  const lookup: LookupFunction = (hostname, lookupOptions, callback) => {
    lookUp(hostname).then(
      (all) => {
        const open = all.filter(({ address }) => mayConnectTo(address));
        const [first] = open;
        if (first === undefined) callback(addressRefused(), '', 0);
        else if (lookupOptions.all === true) callback(null, [...open]);
        else callback(null, first.address, first.family);
      },
      (error: unknown) => {
        callback(error instanceof Error ? error : new Error(String(error)), '', 0);
      },
    );
  };
  const connect = buildConnector({ timeout: timeoutMs, lookup });
  return (target, callback) => {
    const literal = target.hostname.replace(/^\[|\]$/g, '');
    // A literal address is never looked up, so it is judged here.
    if (isIP(literal) !== 0 && !mayConnectTo(literal)) callback(addressRefused(), null);
    else connect(target, callback);
  };
}

const addressRefused = (): NodeJS.ErrnoException =>
  Object.assign(new Error('The address is not a public one.'), { code: ADDRESS_REFUSED });

function reasonOf(error: unknown, timeoutMs: number): string {
  if (error instanceof UnendedAnswer) return error.message;
  if (error instanceof Error && error.name === 'TimeoutError')
    return `no answer within ${String(timeoutMs / 1_000)} seconds`;
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
  if (code === ADDRESS_REFUSED) return 'its host has no public address';
  return `connection failed (${code})`;
}
