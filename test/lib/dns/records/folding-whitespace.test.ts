import { expect, test } from 'vitest';
import {
  trimFoldingWhitespace,
  withoutWhitespace,
  withPlainSpaces,
} from '../../../../src/lib/dns/records/folding-whitespace.ts';

const NO_BREAK = '\u00a0';
const ZERO_WIDTH = '\u200b';

test('only whitespace that receivers skip is trimmed', () => {
  expect(trimFoldingWhitespace(' \t\r\na b\n ')).toBe('a b');
  expect(trimFoldingWhitespace(`${NO_BREAK}a${NO_BREAK}`)).toBe(`${NO_BREAK}a${NO_BREAK}`);
});

test('what looks like nothing or like a space is taken out', () => {
  expect(withoutWhitespace(` a${NO_BREAK}b${ZERO_WIDTH}c\ufeff\u2003d\ufffd\n`)).toBe('abcd');
});

test('spaces of all kinds become one, and what has no width becomes none', () => {
  expect(withPlainSpaces(`\ufeffv=spf1${NO_BREAK}\t mx${ZERO_WIDTH} -all `)).toBe('v=spf1 mx -all');
});
