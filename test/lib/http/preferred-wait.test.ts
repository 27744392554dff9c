import { expect, test } from 'vitest';
import { preferredWaitSeconds } from '../../../src/lib/http/preferred-wait.ts';

test.each([
  ['wait=10', 10],
  ['wait=0', 0],
  ['respond-async, wait=10', 10],
  ['WAIT = 10', 10],
  ['Wait = "5"', 5],
  ['wait="10"', 10],
  ['wait=10; foo="a,b"', 10],
  ['note="a, wait=3", wait=10', 10],
  ['note="a \\", wait=3", wait=10', 10],
  [['respond-async', 'wait=10'], 10],
  ['wait=10, wait=20', 10],
  ['wait=3;strict, wait=4', 3],
  ['wait=99999', 99_999],
])('%j asks to wait %i seconds', (header, seconds) => {
  expect(preferredWaitSeconds(header, Infinity)).toBe(seconds);
  expect(preferredWaitSeconds(header, 4)).toBe(Math.min(seconds, 4));
});

test.each([
  ...[undefined, '', 'wait', 'wait=', 'wait=soon', 'wait=-1', 'wait=1.5', 'wait=9999999999', 'wait=12345678901'],
  ...['waiting=10', 'await=5', 'note="wait=10"', 'wait=x, wait=10', `wait=${'"'.repeat(10_000)}`],
])('%j is malformed or asks for no wait', (header) => {
  expect(preferredWaitSeconds(header, Infinity)).toBeUndefined();
  expect(preferredWaitSeconds(header, 4)).toBeUndefined();
});

test('is read in linear time', () => {
  const begun = process.cpuUsage();
  for (const part of [' ', ', ', ',\t wait', 'wait= ', 'wait="']) preferredWaitSeconds(part.repeat(200_000), 10);
  expect(process.cpuUsage(begun).user).toBeLessThan(1_000_000);
});
