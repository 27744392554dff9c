import { retryAfterMs } from '../lib/http/retry-after.ts';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** No quota of a code host is longer; one odd header must not become a date that no engine can hold. */
const WAIT_MS_MAX = 7 * 24 * 3_600_000;
/** Smaller numbers are seconds from now, larger ones seconds since the epoch. */
const EPOCH_SECONDS_MIN = 1_000_000_000;

/** What a host says about its quota, which GitHub does with every answer. */
export interface Quota {
  readonly remaining: number;
  /** Milliseconds until it begins anew; undefined: the host does not say, or names a time that is over. */
  readonly resetMs: number | undefined;
}

/** Undefined when the host does not say what is left. */
export function quotaOf(headers: Headers, nowMs: number): Quota | undefined {
  const remaining = [headers['x-ratelimit-remaining'], headers['ratelimit-remaining']].find(isCount);
  return remaining === undefined ? undefined : { remaining: Number(remaining), resetMs: quotaResetMs(headers, nowMs) };
}

/**
 * Milliseconds a refusal asks to wait: Retry-After (RFC 9110 section 10.2.3), else the time its quota begins anew, unless
 * some of it is left. Undefined when it does not say, or says that it is over although it refuses: then it is not asked
 * in a loop.
 *
 * @param nowMs milliseconds since the epoch
 */
export function requestedWaitMs(headers: Headers, nowMs: number): number | undefined {
  const retryAfter = bounded([retryAfterMs(headers['retry-after'], nowMs)]);
  if (retryAfter !== undefined) return retryAfter;
  const isSpent = (quotaOf(headers, nowMs)?.remaining ?? 0) === 0;
  return isSpent ? quotaResetMs(headers, nowMs) : undefined;
}

/** `status 403` alone may be about one place: whether it is about the number of requests, by its headers and its text. */
export function isAboutRate(headers: Headers, body: string): boolean {
  if (headers['retry-after'] !== undefined) return true;
  const left = quotaOf(headers, 0)?.remaining;
  if (left === undefined && [headers['x-ratelimit-reset'], headers['ratelimit-reset']].some(isCount)) return true;
  return left === 0 || /rate.?limit|abuse detection|too many requests/i.test(body);
}

const quotaResetMs = (headers: Headers, nowMs: number): number | undefined =>
  bounded([resetMs(headers['x-ratelimit-reset'], nowMs), resetMs(headers['ratelimit-reset'], nowMs)]);

/** The first that is still to come. */
function bounded(waits: readonly (number | undefined)[]): number | undefined {
  const ms = waits.find((wait) => wait !== undefined && wait > 0);
  return ms === undefined ? undefined : Math.min(ms, WAIT_MS_MAX);
}

const isCount = (header: string | string[] | undefined): header is string =>
  typeof header === 'string' && /^\d{1,15}$/.test(header);

function resetMs(header: string | string[] | undefined, nowMs: number): number | undefined {
  if (!isCount(header)) return undefined;
  const seconds = Number(header);
  return seconds < EPOCH_SECONDS_MIN ? seconds * 1_000 : seconds * 1_000 - nowMs;
}
