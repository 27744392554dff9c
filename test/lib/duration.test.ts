import { expect, describe, test } from 'vitest';
import { durationMs, inWords } from '../../src/lib/duration.ts';

describe('durationMs', () => {
  test.each([
    ['72 hours', 259_200_000],
    ['72h', 259_200_000],
    ['3d', 259_200_000],
    ['3 d', 259_200_000],
    ['3days', 259_200_000],
    ['1 hour', 3_600_000],
    ['90 seconds', 90_000],
    ['90s', 90_000],
    ['5m', 300_000],
    ['1.5 days', 129_600_000],
    ['1.5h', 5_400_000],
    ...['', '72', 'd', '2 weeks', '-1 hours', '1e3d', '1.d', 'P3D', '3D', '3 months', '3ms', '1d 2h', ' 3d'].map(
      (none) => [none, undefined] as const,
    ),
  ] as const)('%j', (duration, expected) => {
    expect(durationMs(duration)).toBe(expected);
  });
});

test.each([
  [259_200_000, '72 hours'],
  [3_600_000, '1 hour'],
  [90_000, '90 seconds'],
  [300_000, '5 minutes'],
])('%i ms are %s', (ms, words) => {
  expect(inWords(ms)).toBe(words);
});
