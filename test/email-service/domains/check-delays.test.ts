import { describe, expect, test } from 'vitest';
import { nextCheckDelayMs } from '../../../src/email-service/domains/check-delays.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

describe('the next check of a domain', () => {
  test.each([
    ['at once after the first one', 0, 5_000],
    ['after a tenth of ten minutes', 10 * MINUTE_MS, MINUTE_MS],
    ['after half an hour at most', 20 * HOUR_MS, 30 * MINUTE_MS],
    ['every half hour up to the tenant’s deadline', 72 * HOUR_MS - 1, 30 * MINUTE_MS],
    ['hourly from then on', 72 * HOUR_MS, HOUR_MS],
    ['hourly to the end', 700 * HOUR_MS, HOUR_MS],
  ])('is due %s', (_, elapsedMs, delayMs) => {
    expect(nextCheckDelayMs(elapsedMs)).toBe(delayMs);
  });

  test('happens fewer than 230 times in the 72 hours', () => {
    let looks = 0;
    for (let elapsedMs = 0; elapsedMs < 72 * HOUR_MS; elapsedMs += nextCheckDelayMs(elapsedMs)) looks += 1;
    expect(looks).toBeLessThan(230);
  });
});
