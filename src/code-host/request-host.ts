import { type Dispatcher, request } from 'undici';
import type { CodeHost, HostUrls } from '../agents-md/code-host.ts';
import { HostFailure, HostRefused, HostThrottled, HostUnreachable } from './host-failure.ts';
import { requestedWaitMs, isAboutRate, quotaOf } from './rate-limit.ts';
import { readBeginning } from '../lib/http/read-beginning.ts';
import type { OriginPauses, RequestPermit } from './origin-pauses.ts';

const REDIRECTS_MAX = 3;
const REDIRECT_STATUSES = [301, 302, 303, 307, 308];
/** Enough to recognize a rate limit. */
const REFUSAL_BYTES_MAX = 4 * 1_024;
const UNTIMED = 'the host named no time';

export interface HostQuestion {
  readonly url: string;
  readonly accept: string;
  readonly ifNoneMatch?: string | undefined;
  /** Reading stops here. */
  readonly bytesMax: number;
  /** How many redirects the check has requests left for; at most three are followed. */
  readonly hopsMax: number;
}

export interface HostRequest extends HostQuestion {
  readonly dispatcher: Dispatcher;
  readonly host: CodeHost;
  readonly urls: HostUrls;
  readonly userAgent: string;
  readonly pauses: OriginPauses;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Ends the request with all its redirects. */
  readonly signal: AbortSignal;
}

export interface HostResponse {
  readonly httpStatus: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly bytes: Uint8Array;
  readonly truncated: boolean;
  /** URLs in the order of following, without queries. */
  readonly redirects: readonly string[];
  /** A redirect that was not followed, and why. */
  readonly stoppedAt: { readonly signIn: boolean; readonly detail: string } | null;
}

/**
 * One GET of public material, without credentials, cookies or a proxy. Follows at most three redirects, within the
 * host's own origins.
 *
 * @throws HostThrottled on a rate limit, and without a request during a pause; HostRefused on a 403 that is no rate
 *   limit; HostUnreachable on 5xx and without a response; the reason of the caller's signal
 */
export async function requestHost(hostRequest: HostRequest): Promise<HostResponse> {
  const redirects: string[] = [];
  let url = new URL(hostRequest.url);
  for (;;) {
    const response = await requestOnce(hostRequest, url);
    if (!REDIRECT_STATUSES.includes(response.httpStatus)) return { ...response, redirects, stoppedAt: null };
    const stop = (detail: string, signIn = false): HostResponse => ({
      ...response,
      redirects,
      stoppedAt: { signIn, detail },
    });
    const location = response.headers['location'];
    const next = typeof location === 'string' && URL.canParse(location, url.href) ? new URL(location, url) : undefined;
    if (next === undefined) return stop('a redirect without a Location');
    if (isSignIn(next, hostRequest)) return stop(`redirected to the sign-in page ${withoutQuery(next)}`, true);
    if (!ownOrigins(hostRequest).includes(next.origin) || next.username !== '' || next.password !== '') {
      return stop(`${withoutQuery(next)} is not a URL of ${hostRequest.host.name}`);
    }
    const hopsMax = Math.min(REDIRECTS_MAX, hostRequest.hopsMax);
    if (redirects.length >= hopsMax) return stop(tooManyRedirects(hopsMax));
    redirects.push(withoutQuery(next));
    url = next;
  }
}

async function requestOnce(hostRequest: HostRequest, url: URL): Promise<Omit<HostResponse, 'redirects' | 'stoppedAt'>> {
  const { dispatcher, userAgent, accept, ifNoneMatch, bytesMax, signal, pauses, now } = hostRequest;
  const target = { host: hostRequest.host.name, url: withoutQuery(url) };
  const passage = await pauses.enter(url.origin, signal);
  if ('remainingMs' in passage) {
    const why = 'all checks of this host are waiting';
    throw new HostThrottled({ ...target, because: passage.because, retryAfterMs: passage.remainingMs, why });
  }
  try {
    const { statusCode, headers, body } = await request(url, {
      dispatcher,
      signal,
      headers: {
        'user-agent': userAgent,
        accept,
        'accept-encoding': 'identity',
        ...(ifNoneMatch === undefined ? {} : { 'if-none-match': ifNoneMatch }),
      },
    }).catch((error: unknown) => {
      passage.failed();
      throw error;
    });
    if (statusCode === 200) {
      passage.answered(quotaOf(headers, now()));
      return { httpStatus: statusCode, headers, ...(await readBeginning(body, bytesMax)) };
    }
    const text = statusCode === 403 ? await readText(body) : '';
    // The body is not needed: closing the connection is cheaper than reading on.
    body.on('error', ignoreEnd).destroy();
    refuse(passage, target, { place: url.href, statusCode, headers, text, nowMs: now() });
    return { httpStatus: statusCode, headers, bytes: new Uint8Array(), truncated: false };
  } catch (error) {
    if (error instanceof HostFailure) throw error;
    throw new HostUnreachable({ ...target, because: reasonOf(signal.aborted ? signal.reason : error) });
  }
}

/** Records what the response means for other requests. @throws if this one failed */
function refuse(
  passage: RequestPermit,
  target: { readonly host: string; readonly url: string },
  response: { place: string; statusCode: number; headers: HostResponse['headers']; text: string; nowMs: number },
): void {
  const { statusCode, headers, text, nowMs } = response;
  const because = `status ${statusCode}`;
  const waitMs = requestedWaitMs(headers, nowMs);
  const isThrottled =
    statusCode === 429 ||
    (statusCode === 403 && isAboutRate(headers, text)) ||
    (statusCode === 503 && headers['retry-after'] !== undefined && waitMs !== undefined);
  if (isThrottled) {
    const why = waitMs === undefined ? UNTIMED : 'requested by the host';
    throw new HostThrottled({ ...target, because, retryAfterMs: passage.refused(waitMs, because), why });
  }
  if (statusCode === 403) {
    const retryAfterMs = passage.refusedUnexplained(response.place);
    if (retryAfterMs !== undefined) throw new HostThrottled({ ...target, because, retryAfterMs, why: UNTIMED });
    throw new HostRefused({ ...target, because });
  }
  if (statusCode >= 500) {
    passage.failed();
    throw new HostUnreachable({ ...target, because });
  }
  passage.answered(quotaOf(headers, nowMs));
}

async function readText(body: AsyncIterable<Buffer>): Promise<string> {
  try {
    return new TextDecoder().decode((await readBeginning(body, REFUSAL_BYTES_MAX)).bytes);
  } catch {
    return '';
  }
}

const ignoreEnd = (): void => undefined;

const ownOrigins = ({ urls }: HostRequest): string[] =>
  [urls.web, urls.raw, urls.api].map((base) => new URL(base).origin);

function isSignIn({ origin, pathname }: URL, hostRequest: HostRequest): boolean {
  return (
    [...ownOrigins(hostRequest), ...hostRequest.host.signInOrigins].includes(origin) &&
    hostRequest.host.signInPaths.some((path) => pathname === path || pathname.startsWith(`${path}/`))
  );
}

function tooManyRedirects(hopsMax: number): string {
  if (hopsMax === 1) return 'more than 1 redirect';
  return hopsMax > 1 ? `more than ${hopsMax} redirects` : 'a redirect, and the check has no requests left';
}

/** A query may contain a session, and a URL a password. */
export const withoutQuery = ({ origin, pathname }: URL): string => origin + pathname;

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error';
  if (error.name === 'TimeoutError') return 'no complete response in time';
  const code = 'code' in error && typeof error.code === 'string' ? `${error.code}: ` : '';
  return `${code}${error.message}`.slice(0, 300);
}
