import type { FieldError } from '../../lib/http/problem.ts';

/** As long as the largest providers; what waits longer would outlive its sender's domain too often. */
const AHEAD_MAX_DAYS = 30;
const AHEAD_MAX_MS = AHEAD_MAX_DAYS * 86_400_000;

export const SCHEDULED_AT = `A time of RFC 3339 with its offset, in the future and at most ${String(AHEAD_MAX_DAYS)} days ahead.`;

export const MOVED_TO = `A time of RFC 3339 with its offset, in the future and at most ${String(AHEAD_MAX_DAYS)} days after the email was created.`;

/** @param given with the format `date-time`, which has an offset */
export function scheduledTimeFault(given: string | undefined, now: Date): Omit<FieldError, 'pointer'> | undefined {
  if (given === undefined) return undefined;
  const aheadMs = new Date(given).getTime() - now.getTime();
  // RFC 3339 section 5.6 allows a leap second, which has none in Unix time.
  if (Number.isNaN(aheadMs)) return fault('malformed', 'a time that is not a leap second', given);
  const it = `and it is ${now.toISOString()}`;
  if (aheadMs <= 0)
    return fault('in_the_past', 'a time in the future', `${given}, ${it}. To send at once, leave it out`);
  if (aheadMs > AHEAD_MAX_MS)
    return fault('too_far_ahead', `a time at most ${String(AHEAD_MAX_DAYS)} days ahead`, `${given}, ${it}`);
  return undefined;
}

/** Of an email that is moved: moved on and on, it would outlive all that was accepted with it. */
export function movedTimeFault(given: string, createdAt: string): Omit<FieldError, 'pointer'> | undefined {
  if (new Date(given).getTime() - Date.parse(createdAt) <= AHEAD_MAX_MS) return undefined;
  const expected = `a time at most ${String(AHEAD_MAX_DAYS)} days after the email was created`;
  const found = `${given}, and that was ${createdAt}. To send later, cancel this email and send a new one`;
  return fault('too_far_ahead', expected, found);
}

const fault = (code: string, expected: string, found: string) => ({
  code,
  detail: `scheduled_at must be ${expected}; found ${found}.`,
});
