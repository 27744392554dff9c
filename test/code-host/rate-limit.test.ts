import { expect, test } from 'vitest';
import { requestedWaitMs, isAboutRate, quotaOf } from '../../src/code-host/rate-limit.ts';

const now = Date.parse('2026-03-01T00:00:00Z');

test.each<[Record<string, string>, number | undefined]>([
  [{ 'retry-after': '2' }, 2_000],
  [{ 'retry-after': 'Sun, 01 Mar 2026 00:01:00 GMT' }, 60_000],
  [{ 'x-ratelimit-reset': String(now / 1_000 + 30) }, 30_000],
  [{ 'ratelimit-reset': '45' }, 45_000],
  [{ 'x-ratelimit-reset': String(now / 1_000 + 30), 'x-ratelimit-remaining': '0' }, 30_000],
  [{ 'x-ratelimit-reset': String(now / 1_000 + 30), 'x-ratelimit-remaining': '7' }, undefined],
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
  expect(requestedWaitMs(headers, now)).toBe(expected);
});

test.each<[Record<string, string>, string, boolean]>([
  [{ 'retry-after': '0' }, '', true],
  [{ 'x-ratelimit-remaining': '0' }, '', true],
  [{ 'ratelimit-remaining': '0' }, '', true],
  [{ 'x-ratelimit-reset': '30' }, '', true],
  [{}, '{"message":"You have exceeded a secondary rate limit. Please wait a few minutes before you try again."}', true],
  [{}, '{"message":"API rate limit exceeded for 192.0.2.1."}', true],
  [{}, 'You have triggered an abuse detection mechanism.', true],
  [{}, '<h1>Error 1015</h1> You are being rate-limited', true],
  [{ 'x-ratelimit-remaining': '58', 'x-ratelimit-reset': '30' }, '{"message":"Repository access blocked"}', false],
  [{}, '', false],
])('a 403 with %j and %j is about the rate: %s', (headers, body, expected) => {
  expect(isAboutRate(headers, body)).toBe(expected);
});

test.each<[Record<string, string>, ReturnType<typeof quotaOf>]>([
  [
    { 'x-ratelimit-remaining': '9', 'x-ratelimit-reset': String(now / 1_000 + 30) },
    { remaining: 9, resetMs: 30_000 },
  ],
  [
    { 'ratelimit-remaining': '0', 'ratelimit-reset': '45' },
    { remaining: 0, resetMs: 45_000 },
  ],
  [{ 'x-ratelimit-remaining': '0' }, { remaining: 0, resetMs: undefined }],
  [{ 'x-ratelimit-remaining': '-1' }, undefined],
  [{}, undefined],
])('%j leaves the quota %j', (headers, quota) => {
  expect(quotaOf(headers, now)).toEqual(quota);
});
