import { expect, it } from 'vitest';
import { preferredWait } from '../../../src/lib/http/preferred-wait.ts';

it.each([
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
])('of %j is %s', (header, seconds) => {
  expect(preferredWait(header, 10)).toBe(seconds);
});

it('is read in linear time', () => {
  const begun = process.cpuUsage();
  for (const part of [' ', ', ', ',\t wait', 'wait= ', 'wait="']) preferredWait(part.repeat(200_000), 10);
  expect(process.cpuUsage(begun).user).toBeLessThan(1_000_000);
});
