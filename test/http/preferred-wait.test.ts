import { expect, test } from 'vitest';
import { preferredWaitSeconds } from '../../src/http/preferred-wait.ts';

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
  expect(preferredWaitSeconds(header)).toBe(seconds);
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
  expect(preferredWaitSeconds(header)).toBeUndefined();
});
