/**
 * How often `checkNow` may be executed. Each check adds eleven events to a history, which the server ends at 51,200, and each
 * Update counts towards the 2,000 that one may have: so 30 at once, for a person who is editing DNS, and one more each hour,
 * which is 750 in the longest window. With its 720 extensions, that makes 18,000 events and 1,470 Updates.
 */
export const CHECKS_AT_ONCE = 30;
const CHECK_EVERY_MS = 3_600_000;

/** When all checks are allowed again, in milliseconds since the epoch: each check puts it off by an hour. */
export type CheckAllowance = number;

export const nextCheckAt = (allAt: CheckAllowance): number => allAt - (CHECKS_AT_ONCE - 1) * CHECK_EVERY_MS;

export const afterRequest = (allAt: CheckAllowance, now: number): CheckAllowance =>
  Math.max(allAt, now) + CHECK_EVERY_MS;
