import { describe, expect, test } from 'vitest';
import {
  checksBetween,
  nextDeliveryCheckMs,
  nextDomainCheckMs,
  pauseAfterNotVerifiedMs,
} from '../../src/onboarding/time-limits.ts';

const HOUR_MS = 3_600_000;

describe('the time limits', () => {
  test('checks a domain at most 60 times in 72 hours', () => {
    expect(checksBetween(0, 72 * HOUR_MS, nextDomainCheckMs)).toBeLessThanOrEqual(60);
  });

  test('checks once more soon after a late wake-up, then as rarely as before', () => {
    expect(checksBetween(50 * HOUR_MS, 54 * HOUR_MS, nextDomainCheckMs)).toBe(2);
  });

  test('checks a domain every minute at first and every four hours at last', () => {
    expect(nextDomainCheckMs(0)).toBe(60_000);
    expect(nextDomainCheckMs(HOUR_MS)).toBe(HOUR_MS / 5);
    expect(nextDomainCheckMs(71 * HOUR_MS)).toBe(4 * HOUR_MS);
  });

  test('checks a delivery every two seconds at first and every quarter of an hour at last', () => {
    expect(nextDeliveryCheckMs(0)).toBe(2_000);
    expect(nextDeliveryCheckMs(72 * HOUR_MS)).toBe(15 * 60_000);
  });

  test('retries the first refusals at once, later ones after growing pauses, then stops', () => {
    const pauses = [1, 2, 3, 4, 5, 6].map((times) => pauseAfterNotVerifiedMs(times, HOUR_MS));
    expect(pauses).toEqual([0, 0, 60_000, 300_000, 900_000, undefined]);
  });

  test('ends a pause at the deadline and makes none after it', () => {
    expect(pauseAfterNotVerifiedMs(5, 2_000)).toBe(2_000);
    expect(pauseAfterNotVerifiedMs(1, 1)).toBe(0);
    expect(pauseAfterNotVerifiedMs(1, 0)).toBeUndefined();
    expect(pauseAfterNotVerifiedMs(3, -1)).toBeUndefined();
  });
});
