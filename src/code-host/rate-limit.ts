import { retryAfterMs } from '../lib/http/retry-after.ts';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** No code host's quota lasts longer; an odd header must not exceed what a Date can hold. */
const WAIT_MS_MAX = 7 * 24 * 3_600_000;
/** Smaller numbers are seconds from now; larger ones are seconds since the epoch. */
const EPOCH_SECONDS_MIN = 1_000_000_000;

/** The quota as a host's response states it; GitHub's every response does. */
export interface Quota {
  readonly remaining: number;
  /** Milliseconds until the quota resets; undefined if the host names no time, or a past one. */
  readonly resetMs: number | undefined;
}

/** Undefined if the host does not state what remains. */
export function quotaOf(headers: Headers, nowMs: number): Quota | undefined {
  const remaining = [headers['x-ratelimit-remaining'], headers['ratelimit-remaining']].find(isCount);
  return remaining === undefined ? undefined : { remaining: Number(remaining), resetMs: quotaResetMs(headers, nowMs) };
}

/**
 * The wait that a refusal requests, in milliseconds: Retry-After (RFC 9110 section 10.2.3), otherwise the reset of an
 * exhausted quota. Undefined without either, or with a past time, which must not cause a loop of requests.
 *
 * @param nowMs milliseconds since the epoch
 */
export function requestedWaitMs(headers: Headers, nowMs: number): number | undefined {
  const retryAfter = bounded([retryAfterMs(headers['retry-after'], nowMs)]);
  if (retryAfter !== undefined) return retryAfter;
  const isSpent = (quotaOf(headers, nowMs)?.remaining ?? 0) === 0;
  return isSpent ? quotaResetMs(headers, nowMs) : undefined;
}

/** Whether a 403 is a rate limit, by its headers and its text; otherwise it may concern one URL. */
export function isAboutRate(headers: Headers, body: string): boolean {
  if (headers['retry-after'] !== undefined) return true;
  const left = quotaOf(headers, 0)?.remaining;
  if (left === undefined && [headers['x-ratelimit-reset'], headers['ratelimit-reset']].some(isCount)) return true;
  return left === 0 || /rate.?limit|abuse detection|too many requests/i.test(body);
}

const quotaResetMs = (headers: Headers, nowMs: number): number | undefined =>
  bounded([resetMs(headers['x-ratelimit-reset'], nowMs), resetMs(headers['ratelimit-reset'], nowMs)]);

/** The first one in the future. */
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
