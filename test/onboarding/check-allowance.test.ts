import { expect, test } from 'vitest';
import { afterRequest, nextCheckAt } from '../../src/onboarding/check-allowance.ts';

const MINUTE_MS = 60_000;
const START = Date.UTC(2026, 0, 1);

/** How many checks a caller gets that asks in every interval. */
function checksOf({ every, days }: { every: number; days: number }): number {
  let allowance = 0;
  let checks = 0;
  for (let now = START; now < START + days * 24 * 60 * MINUTE_MS; now += every) {
    if (now < nextCheckAt(allowance)) continue;
    allowance = afterRequest(allowance, now);
    checks += 1;
  }
  return checks;
}

test('a person may check thirty times at once, and once more each hour', () => {
  let allowance = 0;
  for (let check = 0; check < 30; check += 1) {
    expect(nextCheckAt(allowance)).toBeLessThanOrEqual(START);
    allowance = afterRequest(allowance, START);
  }
  expect(nextCheckAt(allowance)).toBe(START + 60 * MINUTE_MS);
});

test.each([0.25, 1, 7, 59, 60])('a caller that asks every %s minutes for 30 days has at most 750 checks', (minutes) => {
  const checks = checksOf({ every: minutes * MINUTE_MS, days: 30 });
  expect(checks).toBeLessThanOrEqual(750);
  expect(checks).toBeGreaterThan(600);
});

test('a quiet day and a half allows thirty again', () => {
  const exhausted = Array.from({ length: 30 }).reduce<number>((allAt) => afterRequest(allAt, START), 0);
  const later = START + 36 * 60 * MINUTE_MS;
  let allowance = exhausted;
  let checks = 0;
  for (; nextCheckAt(allowance) <= later; checks += 1) allowance = afterRequest(allowance, later);
  expect(checks).toBe(30);
});
