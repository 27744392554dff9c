/** Of several preferences of one name, the first counts (RFC 7240 section 2). */
const WAIT = /(?:^|,)[ \t]*wait[ \t]*=[ \t]*"?(\d{1,9})"?[ \t]*(?=[,;]|$)/i;

/**
 * The seconds of `Prefer: wait=N` (RFC 7240 section 4.3), at most `secondsMax`. Undefined without it, and for a value that is no
 * number of seconds: a server ignores preferences that it does not understand.
 */
export function preferredWait(header: string | readonly string[] | undefined, secondsMax: number): number | undefined {
  const seconds = WAIT.exec(String(header ?? ''))?.[1];
  return seconds === undefined ? undefined : Math.min(Number(seconds), secondsMax);
}
