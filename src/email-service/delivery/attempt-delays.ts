import { withJitter } from '../../lib/timing/with-jitter.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** After the first attempt, the second, …: greylisting ends within minutes, a broken server takes hours. */
const DELAYS_MS = [MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS, 30 * MINUTE_MS, HOUR_MS, 2 * HOUR_MS, 4 * HOUR_MS];
const LONGEST_DELAY_MS = 4 * HOUR_MS;

/** The last attempt is due this long before the email expires, so that it usually ends in time. */
const LAST_ATTEMPT_LEAD_MS = 30_000;
/** Closer to expiry than this, another attempt would only repeat the previous one. */
const NO_MORE_ATTEMPTS_MS = 1.5 * LAST_ATTEMPT_LEAD_MS;

/**
 * @param attempt the attempt that was just deferred, 1 for the first
 * @param remainingMs until the email expires
 * @param random 0 to 1, as from Math.random
 * @returns undefined if the email expires before another attempt would be due
 */
export function nextAttemptDelayMs(attempt: number, remainingMs: number, random: number): number | undefined {
  if (remainingMs < NO_MORE_ATTEMPTS_MS) return undefined;
  const untilLastMs = remainingMs - LAST_ATTEMPT_LEAD_MS;
  const plannedMs = withJitter(DELAYS_MS[attempt - 1] ?? LONGEST_DELAY_MS, random);
  // A planned attempt just before the last one becomes the last one.
  return untilLastMs - plannedMs < NO_MORE_ATTEMPTS_MS ? untilLastMs : plannedMs;
}
