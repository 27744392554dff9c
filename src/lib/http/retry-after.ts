/** The three forms of RFC 9110 section 5.6.7; other texts that `Date.parse` accepts are guesses. */
const IMF_FIXDATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;
const RFC850_DATE = /^[A-Z][a-z]{5,8}, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/;
/** Without a time zone, because it is always UTC. */
const ASCTIME_DATE = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/;

/** Milliseconds that a Retry-After header asks to wait (RFC 9110 section 10.2.3); undefined when it is absent or malformed. */
export function retryAfterMs(header: string | string[] | undefined, nowMs: number): number | undefined {
  if (typeof header !== 'string') return undefined;
  if (/^\d+$/.test(header)) return Number(header) * 1_000;
  const dateMs = httpDateMs(header);
  return Number.isNaN(dateMs) ? undefined : Math.max(dateMs - nowMs, 0);
}

function httpDateMs(text: string): number {
  if (ASCTIME_DATE.test(text)) return Date.parse(`${text} GMT`);
  return IMF_FIXDATE.test(text) || RFC850_DATE.test(text) ? Date.parse(text) : NaN;
}
