import { expect, test } from 'vitest';
import { askedToWaitMs } from '../../src/code-host-client/asked-to-wait.ts';

const now = Date.parse('2026-03-01T00:00:00Z');

test.each<[Record<string, string>, number | undefined]>([
  [{ 'retry-after': '2' }, 2_000],
  [{ 'retry-after': 'Sun, 01 Mar 2026 00:01:00 GMT' }, 60_000],
  [{ 'x-ratelimit-reset': String(now / 1_000 + 30) }, 30_000],
  [{ 'ratelimit-reset': '45' }, 45_000],
  [{ 'retry-after': '0', 'x-ratelimit-reset': String(now / 1_000 + 30) }, 30_000],
  [{ 'retry-after': '999999999999' }, 7 * 24 * 3_600_000],
  [{ 'retry-after': '0' }, undefined],
  [{ 'retry-after': '-5' }, undefined],
  [{ 'retry-after': '120.5' }, undefined],
  [{ 'retry-after': 'soon 5' }, undefined],
  [{ 'retry-after': 'Sun, 01 Mar 2020 00:00:00 GMT' }, undefined],
  [{ 'retry-after': 'Xxx, 99 Xxx 2026 00:00:00 GMT' }, undefined],
  [{ 'x-ratelimit-reset': String(now / 1_000 - 30) }, undefined],
  [{}, undefined],
])('%o is %s', (headers, expected) => {
  expect(askedToWaitMs(headers, now)).toBe(expected);
});
