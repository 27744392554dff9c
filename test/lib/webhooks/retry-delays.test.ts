import { describe, expect, test } from 'vitest';
import { nextPostDelayMs } from '../../../src/lib/webhooks/retry-delays.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const NO_JITTER = 0.5;

describe('the schedule of posts', () => {
  test('is ten attempts over 75.5 hours', () => {
    const delays = Array.from({ length: 9 }, (_, index) => nextPostDelayMs(index + 1, undefined, NO_JITTER) ?? 0);
    const expected = [
      5 * SECOND_MS,
      5 * MINUTE_MS,
      30 * MINUTE_MS,
      ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR_MS),
    ];
    expect(delays).toEqual(expected);
    expect(nextPostDelayMs(10, undefined, NO_JITTER)).toBeUndefined();
  });

  test('waits longer if Retry-After requests it', () => {
    expect(nextPostDelayMs(1, 2 * MINUTE_MS, NO_JITTER)).toBe(2 * MINUTE_MS);
  });

  test('does not wait less than planned', () => {
    expect(nextPostDelayMs(4, SECOND_MS, NO_JITTER)).toBe(2 * HOUR_MS);
  });

  test('waits no more than a day', () => {
    expect(nextPostDelayMs(1, 1_000 * HOUR_MS, NO_JITTER)).toBe(24 * HOUR_MS);
  });
});
