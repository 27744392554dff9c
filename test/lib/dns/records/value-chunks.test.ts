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

test('cuts no character in two', () => {
  const value = `${'a'.repeat(254)}é${'b'.repeat(10)}`;
  expect(valueChunks(value)).toEqual(['a'.repeat(254), `é${'b'.repeat(10)}`]);
});
