import { expect, test } from 'vitest';
import { valueChunks } from '../../../../src/lib/dns/records/value-chunks.ts';

test.each([
  ['', [0]],
  ['a'.repeat(255), [255]],
  ['a'.repeat(256), [255, 1]],
  ['a'.repeat(411), [255, 156]],
])('splits value %# into strings of at most 255 bytes', (value, lengths) => {
  const chunks = valueChunks(value);
  expect(chunks.map((chunk) => chunk.length)).toEqual(lengths);
  expect(chunks.join('')).toBe(value);
});

test.each(['é', '\u0800', '漢', '\uffff', '😀', '\ud800'])('does not cut %j, and counts its bytes', (character) => {
  const before = 'a'.repeat(256 - Buffer.byteLength(character));
  expect(valueChunks(`${before}${character}b`)).toEqual([before, `${character}b`]);
  expect(valueChunks(`${before.slice(1)}${character}b`)).toEqual([before.slice(1) + character, 'b']);
});
