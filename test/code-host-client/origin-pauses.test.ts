import { beforeEach, expect, test } from 'vitest';
import { createOriginPauses, type OriginPauses } from '../../src/code-host-client/origin-pauses.ts';

const MINUTE_MS = 60_000;
const origin = 'https://raw.example';
let nowMs: number;
let pauses: OriginPauses;

beforeEach(() => {
  nowMs = 1_000_000_000;
  pauses = createOriginPauses(() => nowMs);
});
const asked = (times: number): number[] => Array.from({ length: times }, () => pauses.remainingMs(origin));

test('an origin that has asked for nothing is asked, and another one is not bound', () => {
  pauses.begin('https://api.example', MINUTE_MS);
  expect(asked(2)).toEqual([0, 0]);
});

test('a pause binds every question for what is left of it, and then none', () => {
  pauses.begin(origin, MINUTE_MS);
  nowMs += MINUTE_MS - 1;
  expect(asked(2)).toEqual([1, 1]);
  nowMs += 1;
  expect(asked(3)).toEqual([0, 0, 0]);
});

test('of a pause of days one question finds out after 30 minutes whether it holds', () => {
  pauses.begin(origin, 7 * 24 * 60 * MINUTE_MS);
  expect(asked(1)).toEqual([30 * MINUTE_MS]);
  nowMs += 30 * MINUTE_MS;
  expect(asked(3)).toEqual([0, MINUTE_MS, MINUTE_MS]);
});

test('when that question is answered the pause is over; when it is refused again, all wait again', () => {
  pauses.begin(origin, 60 * MINUTE_MS);
  nowMs += 30 * MINUTE_MS;
  expect(asked(2)).toEqual([0, MINUTE_MS]);
  pauses.begin(origin, 45 * MINUTE_MS);
  expect(asked(1)).toEqual([30 * MINUTE_MS]);
  nowMs += 30 * MINUTE_MS;
  expect(asked(1)).toEqual([0]);
  pauses.answered(origin);
  expect(asked(2)).toEqual([0, 0]);
});

test('a question that was lost gives way to the next after a minute', () => {
  pauses.begin(origin, 60 * MINUTE_MS);
  nowMs += 30 * MINUTE_MS;
  expect(asked(1)).toEqual([0]);
  nowMs += MINUTE_MS;
  expect(asked(2)).toEqual([0, MINUTE_MS]);
});

test('an answer to a question that was put before the pause does not end it', () => {
  pauses.begin(origin, MINUTE_MS);
  pauses.answered(origin);
  expect(asked(1)).toEqual([MINUTE_MS]);
});
