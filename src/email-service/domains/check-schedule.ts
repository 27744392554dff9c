const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** A tenant at the keyboard sees a record a few seconds after it was published. */
const SOONEST_LOOK_MS = 5 * SECOND_MS;
const LATEST_LOOK_MS = 30 * MINUTE_MS;
/** From here on the tenant's own deadline is over; a look an hour keeps the door open at little cost. */
const SLOW_AFTER_MS = 72 * HOUR_MS;
const SLOW_LOOK_MS = HOUR_MS;

/** @param elapsedMs since this wait began, or since somebody last asked for a look */
export function nextCheckDelayMs(elapsedMs: number): number {
  if (elapsedMs >= SLOW_AFTER_MS) return SLOW_LOOK_MS;
  return Math.min(Math.max(elapsedMs / 10, SOONEST_LOOK_MS), LATEST_LOOK_MS);
}
