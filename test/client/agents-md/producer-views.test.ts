import { expect, test } from 'vitest';
import { shownPeriod } from '../../../src/client/agents-md/producer-views.ts';
import { durationMs } from '../../../src/lib/duration.ts';

const HOUR_MS = 3_600_000;

test.each([
  [168 * HOUR_MS, '7d'],
  [24 * HOUR_MS, '1d'],
  [36 * HOUR_MS, '36h'],
  [1.5 * HOUR_MS, '90m'],
  [3_601_000, '3601s'],
  [0, '0s'],
])('%i ms are shown as %j, which is read as the same', (ms, shown) => {
  expect(shownPeriod(ms)).toBe(shown);
  expect(durationMs(shown)).toBe(ms);
});
