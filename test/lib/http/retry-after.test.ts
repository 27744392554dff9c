import { expect, test } from 'vitest';
import { retryAfterMs } from '../../../src/lib/http/retry-after.ts';

const now = Date.parse('2026-11-21T12:00:00Z');

test.each([
  ['120', 120_000],
  ['Sat, 21 Nov 2026 12:00:30 GMT', 30_000],
  ['Saturday, 21-Nov-26 12:00:30 GMT', 30_000],
  ['Sat Nov 21 12:00:30 2026', 30_000],
  ['Sat, 21 Nov 2026 11:00:00 GMT', 0],
  ['Sun Nov  1 12:00:30 2026', 0],
  ['Xxx, 99 Xxx 2026 00:00:00 GMT', undefined],
  ['2026-11-21T12:00:30Z', undefined],
  ['soon', undefined],
  ['-5', undefined],
  [['1', '2'], undefined],
  [undefined, undefined],
])('Retry-After %j asks to wait %j ms', (header, waitMs) => {
  expect(retryAfterMs(header, now)).toBe(waitMs);
});
