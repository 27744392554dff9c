import { expect, test } from 'vitest';
import { parseJson } from '../../src/lib/parse-json.ts';

const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

test.each([
  ['100 levels', nested(100), true],
  ['101 levels', nested(101), false],
  ['101 levels of objects', '{"a":'.repeat(101) + '1' + '}'.repeat(101), false],
  ['1,000 arrays side by side', `[${Array.from({ length: 1_000 }, () => '[]').join()}]`, true],
  ['brackets in a text', JSON.stringify(['['.repeat(200)]), true],
  ['brackets after an escaped quote', JSON.stringify([`\\"${'{'.repeat(200)}`]), true],
  ['brackets after a text that ends with a backslash', `["\\\\",${nested(101)}]`, false],
  ['a text without an end', '"'.repeat(1), false],
])('%s', (_what, text, isRead) => {
  expect(parseJson(text) !== undefined).toBe(isRead);
});
