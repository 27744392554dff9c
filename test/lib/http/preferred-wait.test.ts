import { expect, test } from 'vitest';
import { preferredWaitSeconds } from '../../../src/lib/http/preferred-wait.ts';

test.each([
  ['wait=10', 10],
  ['wait=0', 0],
  ['respond-async, wait=10', 10],
  ['WAIT = 10', 10],
  ['wait="10"', 10],
  ['wait=10; foo="a,b"', 10],
  ['note="a, wait=3", wait=10', 10],
  ['note="a \\", wait=3", wait=10', 10],
  [['respond-async', 'wait=10'], 10],
  ['wait=10, wait=20', 10],
  ['wait=99999', 99_999],
])('%j asks to wait %i seconds', (header, seconds) => {
  expect(preferredWaitSeconds(header, Infinity)).toBe(seconds);
});

test.each([
  undefined,
  '',
  'wait',
  'wait=',
  'wait=soon',
  'wait=-1',
  'wait=1.5',
  'wait=9999999999',
  'waiting=10',
  'note="wait=10"',
  'wait=x, wait=10',
  `wait=${'"'.repeat(10_000)}`,
])('%j is malformed or asks for no wait', (header) => {
  expect(preferredWaitSeconds(header, Infinity)).toBeUndefined();
});

test.each([
  ['wait=5', 5],
  ['Wait = "5"', 5],
  ['wait=100', 10],
  ['wait=0', 0],
  ['respond-async, wait=7', 7],
  ['wait=3;strict, wait=4', 3],
  [['respond-async', 'wait=7'], 7],
  [undefined, undefined],
  ['', undefined],
  ['wait', undefined],
  ['wait=soon', undefined],
  ['wait=-1', undefined],
  ['wait=1.5', undefined],
  ['await=5', undefined],
  ['wait=12345678901', undefined],
])('of %j with a limit of 10 is %s', (header, seconds) => {
  expect(preferredWaitSeconds(header, 10)).toBe(seconds);
});

test('is read in linear time', () => {
  const begun = process.cpuUsage();
  for (const part of [' ', ', ', ',\t wait', 'wait= ', 'wait="']) preferredWaitSeconds(part.repeat(200_000), 10);
  expect(process.cpuUsage(begun).user).toBeLessThan(1_000_000);
});
