import { expect, test } from 'vitest';
import { markdownCode, markdownRow } from '../../src/lib/escape-markdown.ts';

test.each([
  ['v=DKIM1; k=rsa', '`v=DKIM1; k=rsa`'],
  ['two\nlines', '`two lines`'],
  ['a`b', '`` a`b ``'],
  ['`` ` ```', '```` `` ` ``` ````'],
  ['', '`  `'],
])('writes %j as code that it cannot end', (text, code) => {
  expect(markdownCode(text)).toBe(code);
});

test('keeps a cell whole, whether its bars are escaped or not', () => {
  expect(markdownRow(['`a|b`', 'c\\|d'])).toBe('| `a\\|b` | c\\|d |');
});
