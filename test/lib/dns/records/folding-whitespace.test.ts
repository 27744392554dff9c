import { expect, test } from 'vitest';
import {
  trimFoldingWhitespace,
  withoutWhitespace,
  withPlainSpaces,
} from '../../../../src/lib/dns/records/folding-whitespace.ts';

const NO_BREAK = '\u00a0';
const ZERO_WIDTH = '\u200b';

test('trims only the whitespace that receivers skip', () => {
  expect(trimFoldingWhitespace(' \t\r\na b\n ')).toBe('a b');
  expect(trimFoldingWhitespace(`${NO_BREAK}a${NO_BREAK}`)).toBe(`${NO_BREAK}a${NO_BREAK}`);
});

test('removes spaces and invisible characters', () => {
  expect(withoutWhitespace(` a${NO_BREAK}b${ZERO_WIDTH}c\ufeff\u2003d\ufffd\n`)).toBe('abcd');
});

test('replaces spaces of all kinds with one, and removes characters without width', () => {
  expect(withPlainSpaces(`\ufeffv=spf1${NO_BREAK}\t mx${ZERO_WIDTH} -all `)).toBe('v=spf1 mx -all');
});
