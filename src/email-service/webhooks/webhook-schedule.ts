import { withJitter } from '../../lib/with-jitter.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** What follows the first attempt, the second, …: a restart is over in seconds, a weekend in 75 hours. */
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

/** How long the ten attempts take, when the receiver asks for no more time. */
export const POSTING_TIME_MS = DELAYS_MS.reduce((sum, delayMs) => sum + delayMs, 0);

/** A receiver may ask for more time, but not for so much that the event is stale before it arrives. */
const RETRY_AFTER_MAX_MS = 24 * HOUR_MS;

/**
 * @param attempts how many were made so far, 1 after the first
 * @param retryAfterMs what the receiver asked for; only ever lengthens the delay
 * @param random 0 to 1, as from Math.random
 * @returns undefined when that was the last attempt
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
