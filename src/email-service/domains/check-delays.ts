const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** A tenant at the keyboard sees a new record as found within seconds. */
const SHORTEST_DELAY_MS = 5 * SECOND_MS;
const LONGEST_DELAY_MS = 30 * MINUTE_MS;
/** By then the onboarding's deadline is over; an hourly check still finds late records at little cost. */
const SLOW_AFTER_MS = 72 * HOUR_MS;
const SLOW_DELAY_MS = HOUR_MS;

/** @param elapsedMs since the wait began or since the last requested check */
export function nextCheckDelayMs(elapsedMs: number): number {
  if (elapsedMs >= SLOW_AFTER_MS) return SLOW_DELAY_MS;
  return Math.min(Math.max(elapsedMs / 10, SHORTEST_DELAY_MS), LONGEST_DELAY_MS);
}
