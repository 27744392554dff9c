type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** A host that says zero is not asked in a loop. */
const WAIT_MS_MIN = 1_000;
/** No quota of a code host is longer; one odd header must not become a date that no engine can hold. */
const WAIT_MS_MAX = 7 * 24 * 3_600_000;
/** Smaller numbers are seconds from now, larger ones seconds since the epoch. */
const EPOCH_SECONDS_MIN = 1_000_000_000;

/**
 * Milliseconds the host asks to wait: Retry-After (RFC 9110 section 10.2.3), else the time its quota begins anew.
 *
 * @param nowMs milliseconds since the epoch
 */
export function askedToWaitMs(headers: Headers, nowMs: number): number | undefined {
  const ms =
    retryAfterMs(headers['retry-after'], nowMs) ??
    resetMs(headers['x-ratelimit-reset'], nowMs) ??
    resetMs(headers['ratelimit-reset'], nowMs);
  return ms === undefined ? undefined : Math.min(Math.max(ms, WAIT_MS_MIN), WAIT_MS_MAX);
}

function retryAfterMs(header: string | string[] | undefined, nowMs: number): number | undefined {
  if (typeof header !== 'string') return undefined;
  if (/^\d+$/.test(header)) return Number(header) * 1_000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : date - nowMs;
}

function resetMs(header: string | string[] | undefined, nowMs: number): number | undefined {
  if (typeof header !== 'string' || !/^\d+$/.test(header)) return undefined;
  const seconds = Number(header);
  return seconds < EPOCH_SECONDS_MIN ? seconds * 1_000 : seconds * 1_000 - nowMs;
}
