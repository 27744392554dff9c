import { describe, expect, test } from 'vitest';
import { nextAttemptDelayMs } from '../../../src/email-service/delivery/attempt-delays.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const NO_JITTER = 0.5;

describe('the schedule of delivery attempts', () => {
  test.each([
    [1, MINUTE_MS],
    [2, 5 * MINUTE_MS],
    [3, 15 * MINUTE_MS],
    [4, 30 * MINUTE_MS],
    [5, HOUR_MS],
    [6, 2 * HOUR_MS],
    [7, 4 * HOUR_MS],
    [8, 4 * HOUR_MS],
    [50, 4 * HOUR_MS],
  ])('after attempt %i waits %i ms', (attempt, delayMs) => {
    expect(nextAttemptDelayMs(attempt, DAY_MS, NO_JITTER)).toBe(delayMs);
  });

  test('varies by a tenth in both directions', () => {
    expect(nextAttemptDelayMs(5, DAY_MS, 0)).toBe(54 * MINUTE_MS);
    expect(nextAttemptDelayMs(5, DAY_MS, 1)).toBe(66 * MINUTE_MS);
  });

  test('makes the last attempt half a minute before the email expires', () => {
    expect(nextAttemptDelayMs(7, HOUR_MS, NO_JITTER)).toBe(HOUR_MS - 30_000);
  });

  test('merges an attempt due just before the last one into it', () => {
    expect(nextAttemptDelayMs(1, 2 * MINUTE_MS, NO_JITTER)).toBe(90_000);
  });

  test('schedules no attempt after the last one', () => {
    expect(nextAttemptDelayMs(8, 30_000, NO_JITTER)).toBeUndefined();
    expect(nextAttemptDelayMs(8, -1, NO_JITTER)).toBeUndefined();
  });

  test.each([60_000, DAY_MS, 7 * DAY_MS])(
    'ends every email that lives for %i ms with an attempt before it expires',
    (lifeMs) => {
      let remainingMs = lifeMs;
      let attempts = 1;
      for (;;) {
        const delayMs = nextAttemptDelayMs(attempts, remainingMs, Math.random());
        if (delayMs === undefined) break;
        expect(delayMs).toBeGreaterThan(0);
        remainingMs -= delayMs;
        attempts += 1;
      }
      expect(remainingMs).toBe(30_000);
      expect(attempts).toBeGreaterThanOrEqual(2);
    },
  );
});
