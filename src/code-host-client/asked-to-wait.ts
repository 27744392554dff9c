type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** The form of a date that RFC 9110 section 5.6.7 wants; what JavaScript takes for one besides is a guess. */
const IMF_FIXDATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;
/** No quota of a code host is longer; one odd header must not become a date that no engine can hold. */
const WAIT_MS_MAX = 7 * 24 * 3_600_000;
/** Smaller numbers are seconds from now, larger ones seconds since the epoch. */
const EPOCH_SECONDS_MIN = 1_000_000_000;

/**
 * Milliseconds the host asks to wait: Retry-After (RFC 9110 section 10.2.3), else the time its quota begins anew.
 * Undefined when it does not say, or says that it is over although it refuses: then it is not asked in a loop.
 *
 * @param nowMs milliseconds since the epoch
 */
export function askedToWaitMs(headers: Headers, nowMs: number): number | undefined {
  const waits = [
    retryAfterMs(headers['retry-after'], nowMs),
    resetMs(headers['x-ratelimit-reset'], nowMs),
    resetMs(headers['ratelimit-reset'], nowMs),
  ];
  const ms = waits.find((wait) => wait !== undefined && wait > 0);
  return ms === undefined ? undefined : Math.min(ms, WAIT_MS_MAX);
}

function retryAfterMs(header: string | string[] | undefined, nowMs: number): number | undefined {
  if (typeof header !== 'string') return undefined;
  if (/^\d+$/.test(header)) return Number(header) * 1_000;
  return IMF_FIXDATE.test(header) ? Date.parse(header) - nowMs : undefined;
}

function resetMs(header: string | string[] | undefined, nowMs: number): number | undefined {
  if (typeof header !== 'string' || !/^\d+$/.test(header)) return undefined;
  const seconds = Number(header);
  return seconds < EPOCH_SECONDS_MIN ? seconds * 1_000 : seconds * 1_000 - nowMs;
}
