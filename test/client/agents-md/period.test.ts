import { expect, test } from 'vitest';
import { periodMs, shownPeriod } from '../../../src/client/agents-md/period.ts';

const HOUR_MS = 3_600_000;

test.each([
  ['7d', 168 * HOUR_MS, '7d'],
  ['7 days', 168 * HOUR_MS, '7d'],
  ['1 day', 24 * HOUR_MS, '1d'],
  ['36h', 36 * HOUR_MS, '36h'],
  ['1.5h', 1.5 * HOUR_MS, '90m'],
  ['90 minutes', 1.5 * HOUR_MS, '90m'],
  ['3601s', 3_601_000, '3601s'],
  ['0.3333d', 28_797_000, '28797s'],
  ['0d', 0, '0s'],
])('%j is %i ms and shown as %j, which is read as the same', (text, ms, shown) => {
  expect(periodMs(text)).toBe(ms);
  expect(shownPeriod(ms)).toBe(shown);
  expect(periodMs(shown)).toBe(ms);
});

test.each(['', 'd', '7', '7w', '-7d', '7d 2h', '1e3d', '1.d', '..d', 'P7D', '7 D'])(
  'refuses %j as a period',
  (text) => {
    expect(periodMs(text)).toBeUndefined();
  },
);
