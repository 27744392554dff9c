import { type Dispatcher, request } from 'undici';
import type { CodeHost, HostUrls } from '../agents-md/code-host.ts';
import { HostThrottled, HostUnreachable } from './host-failure.ts';
import { askedToWaitMs } from './asked-to-wait.ts';
import type { OriginPauses } from './origin-pauses.ts';

const REDIRECTS_MAX = 3;
const REDIRECT_STATUSES = [301, 302, 303, 307, 308];

export interface Question {
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

export interface Answer {
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
 * @throws HostThrottled on 403 and 429, and without asking when the origin has said that it is too early;
 *   HostUnreachable on 5xx, and when there is no answer; what the caller's signal was aborted with
 */
export async function askHost(question: Question): Promise<Answer> {
  const redirects: string[] = [];
  let url = new URL(question.url);
  for (;;) {
    const answer = await askOnce(question, url);
    if (!REDIRECT_STATUSES.includes(answer.httpStatus)) return { ...answer, redirects, stoppedAt: null };
    const stop = (detail: string, signIn = false): Answer => ({ ...answer, redirects, stoppedAt: { signIn, detail } });
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

async function askOnce(question: Question, url: URL): Promise<Omit<Answer, 'redirects' | 'stoppedAt'>> {
  const { dispatcher, host, userAgent, accept, ifNoneMatch, bytesMax, signal, pauses } = question;
  const asked = { host: host.name, url: withoutQuery(url) };
  const pausedMs = pauses.remainingMs(url.origin);
  if (pausedMs > 0) {
    throw new HostThrottled({ ...asked, status: 'status 429 to an earlier request', retryAfterMs: pausedMs });
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
    });
    // Of any other answer the headers say enough; destroying it closes the connection instead of reading on.
    const read =
      statusCode === 200 ? await readBeginning(body, bytesMax) : { bytes: new Uint8Array(), truncated: false };
    if (statusCode !== 200) body.on('error', ignoreEnd).destroy();
    if (statusCode === 403 || statusCode === 429) throw throttled(question, url, statusCode, headers);
    if (statusCode >= 500) throw new HostUnreachable({ ...asked, reason: `status ${statusCode}` });
    pauses.answered(url.origin);
    return { httpStatus: statusCode, headers, ...read };
  } catch (error) {
    if (error instanceof HostThrottled || error instanceof HostUnreachable) throw error;
    throw new HostUnreachable({ ...asked, reason: reasonOf(signal.aborted ? signal.reason : error) });
  }
}

function throttled(
  { host, pauses, now }: Question,
  url: URL,
  httpStatus: 403 | 429,
  headers: Answer['headers'],
): HostThrottled {
  const retryAfterMs = askedToWaitMs(headers, now());
  // A 403 may be about this one place, and without a time there is nothing that could bind another question.
  if (httpStatus === 429 && retryAfterMs !== undefined) pauses.begin(url.origin, retryAfterMs);
  return new HostThrottled({ host: host.name, url: withoutQuery(url), status: `status ${httpStatus}`, retryAfterMs });
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

const ownOrigins = ({ urls }: Question): string[] => [urls.web, urls.raw, urls.api].map((base) => new URL(base).origin);

function isSignIn({ origin, pathname }: URL, question: Question): boolean {
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
