import { withJitter } from '../timing/with-jitter.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** After the first attempt, the second, …: from a restart of seconds to a weekend; 75 hours in total. */
const DELAYS_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
];

/** How long the ten attempts take without Retry-After. */
export const POSTING_TIME_MS = DELAYS_MS.reduce((sum, delayMs) => sum + delayMs, 0);

/** A receiver may request more time, but not so much that the event is stale when it arrives. */
const RETRY_AFTER_MAX_MS = 24 * HOUR_MS;

/**
 * @param attempts the attempts made so far, 1 after the first
 * @param retryAfterMs the receiver's requested wait, which can only lengthen the delay
 * @param random 0 to 1, as from Math.random
 * @returns undefined after the last attempt
 */
export function nextPostDelayMs(
  attempts: number,
  retryAfterMs: number | undefined,
  random: number,
): number | undefined {
  const plannedMs = DELAYS_MS[attempts - 1];
  if (plannedMs === undefined) return undefined;
  return Math.max(withJitter(plannedMs, random), Math.min(retryAfterMs ?? 0, RETRY_AFTER_MAX_MS));
}
