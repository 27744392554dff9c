import { describe, expect, test } from 'vitest';
import {
  checksBetween,
  nextDeliveryCheckMs,
  nextDomainCheckMs,
  pauseAfterNotVerifiedMs,
} from '../../src/onboarding/polling-schedule.ts';

const HOUR_MS = 3_600_000;

describe('the polling schedule', () => {
  test('72 hours of waiting for a domain are at most 60 looks', () => {
    expect(checksBetween(0, 72 * HOUR_MS, nextDomainCheckMs)).toBeLessThanOrEqual(60);
  });

  test('a round that a hint began late makes one more look soon, and then goes on as rarely as before', () => {
    expect(checksBetween(50 * HOUR_MS, 54 * HOUR_MS, nextDomainCheckMs)).toBe(2);
  });

  test('a domain is looked at every minute at first and every four hours at last', () => {
    expect(nextDomainCheckMs(0)).toBe(60_000);
    expect(nextDomainCheckMs(HOUR_MS)).toBe(HOUR_MS / 5);
    expect(nextDomainCheckMs(71 * HOUR_MS)).toBe(4 * HOUR_MS);
  });

  test('a delivery is looked at every two seconds at first and every quarter of an hour at last', () => {
    expect(nextDeliveryCheckMs(0)).toBe(2_000);
    expect(nextDeliveryCheckMs(72 * HOUR_MS)).toBe(15 * 60_000);
  });

  test('the first refusals are retried at once, later ones after growing pauses, and then no more', () => {
    const pauses = [1, 2, 3, 4, 5, 6].map((times) => pauseAfterNotVerifiedMs(times, HOUR_MS));
    expect(pauses).toEqual([0, 0, 60_000, 300_000, 900_000, undefined]);
  });

  test('a pause after a refusal never goes past the deadline, and after it there is none', () => {
    expect(pauseAfterNotVerifiedMs(5, 2_000)).toBe(2_000);
    expect(pauseAfterNotVerifiedMs(1, 1)).toBe(0);
    expect(pauseAfterNotVerifiedMs(1, 0)).toBeUndefined();
    expect(pauseAfterNotVerifiedMs(3, -1)).toBeUndefined();
  });
});
