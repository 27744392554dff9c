import { expect, test } from 'vitest';
import { apiTokens, firstApiToken } from '../../src/lib/api-tokens.ts';

const [ONE, OTHER] = ['1'.repeat(24), '2'.repeat(24)] as const;

test('one token needs no name; several have one each', () => {
  expect(apiTokens(ONE)).toEqual([{ name: 'default', token: ONE }]);
  expect(apiTokens(`old:${ONE}, new.2:${OTHER}`)).toEqual([
    { name: 'old', token: ONE },
    { name: 'new.2', token: OTHER },
  ]);
});

test.each([
  ['a short token', 'short'],
  ['a short token among long ones', `old:${ONE},new:short`],
  ['a name twice', `one:${ONE},one:${OTHER}`],
  ['two tokens without names', `${ONE},${OTHER}`],
  ['a name with other characters', `the old:${ONE}`],
  ['an empty name', `:${ONE}`],
  ['an entry too many', `old:${ONE},`],
  ['a placeholder', `old:$(openssl${ONE})`],
])('refuses %s', (_case, value) => {
  expect(() => apiTokens(value)).toThrow('name:token,name:token');
});

test('a client sends the first token', () => {
  expect(firstApiToken(`old:${ONE},new:${OTHER}`)).toBe(ONE);
  expect(firstApiToken(ONE)).toBe(ONE);
});
