/** RFC 9110 section 5.6.7; other texts that `Date.parse` accepts are guesses. */
const IMF_FIXDATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** Milliseconds that a Retry-After header asks to wait (RFC 9110 section 10.2.3); undefined when it is absent or malformed. */
export function retryAfterMs(header: string | string[] | undefined, nowMs: number): number | undefined {
  if (typeof header !== 'string') return undefined;
  if (/^\d+$/.test(header)) return Number(header) * 1_000;
  const dateMs = IMF_FIXDATE.test(header) ? Date.parse(header) : NaN;
  return Number.isNaN(dateMs) ? undefined : Math.max(dateMs - nowMs, 0);
}
