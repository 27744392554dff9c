import { type Dispatcher, request } from 'undici';
import type { CodeHost, HostUrls } from '../agents-md/code-host.ts';
import { HostRefused, HostThrottled, HostUnreachable } from './host-failure.ts';
import { requestedWaitMs, isAboutRate, quotaOf } from './rate-limit.ts';
import type { OriginPauses, Passage } from './origin-pauses.ts';

const REDIRECTS_MAX = 3;
const REDIRECT_STATUSES = [301, 302, 303, 307, 308];
/** Enough to see what a refusal is about. */
const REFUSAL_BYTES_MAX = 4 * 1_024;
const UNTIMED = 'it did not say how long';

export interface HostRequest {
  readonly dispatcher: Dispatcher;
  readonly host: CodeHost;
  readonly urls: HostUrls;
  readonly url: string;
  /** Names who asks and how to reach them. */
  readonly userAgent: string;
  readonly accept: string;
  readonly ifNoneMatch?: string | undefined;
  /** More is not read, however much is sent. */
  readonly bytesMax: number;
  /** How many requests the check has left for redirects; never more than three are followed. */
  readonly hopsMax: number;
  readonly pauses: OriginPauses;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Ends the question with all its redirects. */
  readonly signal: AbortSignal;
}

export interface HostResponse {
  readonly httpStatus: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly bytes: Uint8Array;
  readonly truncated: boolean;
  /** Addresses in the order they were followed, without queries. */
  readonly redirects: readonly string[];
  /** A redirect that was not followed, and why. */
  readonly stoppedAt: { readonly signIn: boolean; readonly detail: string } | null;
}

/**
 * One GET of public material, with redirects by our own rule: within the host's own list, at most three. It sends
 * neither credentials nor cookies, and knows no proxy.
 *
 * @throws HostThrottled when the origin asks for fewer requests, and without asking while it pauses; HostRefused on a 403
 *   that says nothing about requests; HostUnreachable on 5xx, and when there is no answer; what the caller's signal was
 *   aborted with
 */
export async function requestHost(question: HostRequest): Promise<HostResponse> {
  const redirects: string[] = [];
  let url = new URL(question.url);
  for (;;) {
    const answer = await askOnce(question, url);
    if (!REDIRECT_STATUSES.includes(answer.httpStatus)) return { ...answer, redirects, stoppedAt: null };
    const stop = (detail: string, signIn = false): HostResponse => ({
      ...answer,
      redirects,
      stoppedAt: { signIn, detail },
    });
    const location = answer.headers['location'];
    const next = typeof location === 'string' && URL.canParse(location, url.href) ? new URL(location, url) : undefined;
    if (next === undefined) return stop('a redirect without an address');
    if (isSignIn(next, question)) return stop(`${withoutQuery(next)} asks to sign in`, true);
    if (!ownOrigins(question).includes(next.origin) || next.username !== '' || next.password !== '') {
      return stop(`${withoutQuery(next)} is not an address of ${question.host.name}`);
    }
    const hopsMax = Math.min(REDIRECTS_MAX, question.hopsMax);
    // A question that a Workflow of an older version left behind brings no number, and follows none.
    if (!(redirects.length < hopsMax)) return stop(tooManyRedirects(hopsMax));
    redirects.push(withoutQuery(next));
    url = next;
  }
}

async function askOnce(question: HostRequest, url: URL): Promise<Omit<HostResponse, 'redirects' | 'stoppedAt'>> {
  const { dispatcher, userAgent, accept, ifNoneMatch, bytesMax, signal, pauses, now } = question;
  const asked = { host: question.host.name, url: withoutQuery(url) };
  try {
    const passage = await pauses.enter(url.origin, signal);
    if ('remainingMs' in passage) {
      const why = 'as every check does';
      throw new HostThrottled({ ...asked, because: passage.because, retryAfterMs: passage.remainingMs, why });
    }
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
    // Of any other answer the headers say enough; destroying it closes the connection instead of reading on.
    body.on('error', ignoreEnd).destroy();
    refuse(passage, asked, { place: url.href, statusCode, headers, text, nowMs: now() });
    return { httpStatus: statusCode, headers, bytes: new Uint8Array(), truncated: false };
  } catch (error) {
    if (error instanceof HostThrottled || error instanceof HostRefused || error instanceof HostUnreachable) throw error;
    throw new HostUnreachable({ ...asked, reason: reasonOf(signal.aborted ? signal.reason : error) });
  }
}

/** Tells the origin's pauses what the answer means for other requests. @throws when it means that this one failed */
function refuse(
  passage: Passage,
  asked: { readonly host: string; readonly url: string },
  answer: { place: string; statusCode: number; headers: HostResponse['headers']; text: string; nowMs: number },
): void {
  const { statusCode, headers, text, nowMs } = answer;
  const because = `status ${statusCode}`;
  const waitMs = requestedWaitMs(headers, nowMs);
  const isThrottled =
    statusCode === 429 ||
    (statusCode === 403 && isAboutRate(headers, text)) ||
    (statusCode === 503 && headers['retry-after'] !== undefined && waitMs !== undefined);
  if (isThrottled) {
    const why = waitMs === undefined ? UNTIMED : 'as it asks';
    throw new HostThrottled({ ...asked, because, retryAfterMs: passage.refused(waitMs, because), why });
  }
  if (statusCode === 403) {
    const retryAfterMs = passage.refusedUnexplained(answer.place);
    if (retryAfterMs !== undefined) throw new HostThrottled({ ...asked, because, retryAfterMs, why: UNTIMED });
    throw new HostRefused({ ...asked, status: because });
  }
  if (statusCode >= 500) {
    passage.failed();
    throw new HostUnreachable({ ...asked, reason: because });
  }
  passage.answered(quotaOf(headers, nowMs));
}

async function readText(body: Dispatcher.ResponseData['body']): Promise<string> {
  try {
    return new TextDecoder().decode((await readBeginning(body, REFUSAL_BYTES_MAX)).bytes);
  } catch {
    return '';
  }
}

async function readBeginning(
  body: Dispatcher.ResponseData['body'],
  bytesMax: number,
): Promise<{ bytes: Uint8Array; truncated: boolean }> {
  const chunks: Buffer[] = [];
  let size = 0;
  // Leaving the loop destroys the body, and with it the connection it comes from.
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > bytesMax) break;
  }
  return { bytes: Buffer.concat(chunks).subarray(0, bytesMax), truncated: size > bytesMax };
}

const ignoreEnd = (): void => undefined;

const ownOrigins = ({ urls }: HostRequest): string[] =>
  [urls.web, urls.raw, urls.api].map((base) => new URL(base).origin);

function isSignIn({ origin, pathname }: URL, question: HostRequest): boolean {
  return (
    [...ownOrigins(question), ...question.host.signInOrigins].includes(origin) &&
    question.host.signInPaths.some((path) => pathname === path || pathname.startsWith(`${path}/`))
  );
}

function tooManyRedirects(hopsMax: number): string {
  if (hopsMax === 1) return 'more than 1 redirect';
  return hopsMax > 1 ? `more than ${hopsMax} redirects` : 'a redirect, and no request of this check is left';
}

/** A query may hold a session, and a URL a password. */
export const withoutQuery = ({ origin, pathname }: URL): string => origin + pathname;

/** A code and a message of the connection. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error';
  if (error.name === 'TimeoutError') return 'no whole answer in time';
  const code = 'code' in error && typeof error.code === 'string' ? `${error.code}: ` : '';
  return `${code}${error.message}`.slice(0, 300);
}
