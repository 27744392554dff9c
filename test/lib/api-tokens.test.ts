import { expect, test } from 'vitest';
import { apiTokens, findApiToken, firstApiToken } from '../../src/lib/api-tokens.ts';

const [ONE, OTHER] = ['1'.repeat(24), '2'.repeat(24)] as const;

test('one token needs no name; several have one each', () => {
  expect(apiTokens(ONE)).toEqual([{ name: 'default', token: ONE }]);
  expect(apiTokens(`old:${ONE}, new.2:${OTHER}`)).toEqual([
    { name: 'old', token: ONE },
    { name: 'new.2', token: OTHER },
  ]);
});

test('a single token with a colon is the whole token', () => {
  expect(apiTokens(`prod:${ONE}`)).toEqual([{ name: 'default', token: `prod:${ONE}` }]);
  expect(firstApiToken(`prod:${ONE}`)).toBe(`prod:${ONE}`);
});

test.each([
  ['a short token', 'short'],
  ['a short token among long ones', `old:${ONE},new:short`],
  ['a name twice', `one:${ONE},one:${OTHER}`],
  ['two tokens without names', `${ONE},${OTHER}`],
  ['a token with a colon among several', `old:${ONE}:1,new:${OTHER}`],
  ['a name with other characters', `the old:${ONE},new:${OTHER}`],
  ['an empty name', `:${ONE},new:${OTHER}`],
  ['an entry too many', `old:${ONE},`],
  ['a placeholder', `old:$(openssl${ONE})`],
])('refuses %s', (_case, value) => {
  expect(() => apiTokens(value)).toThrow('name:token,name:token');
});

test('a client sends the first token', () => {
  expect(firstApiToken(`old:${ONE},new:${OTHER}`)).toBe(ONE);
  expect(firstApiToken(ONE)).toBe(ONE);
});

test('finds the token that is given, with its name', () => {
  const tokens = apiTokens(`old:${ONE},new:${OTHER}`);
  expect(findApiToken(tokens, OTHER)).toEqual({ name: 'new', token: OTHER });
  expect(findApiToken(tokens, ONE)).toEqual({ name: 'old', token: ONE });
  for (const junk of ['', 'old', `old:${ONE}`, `${ONE}1`, ONE.slice(1), `${ONE},${OTHER}`])
    expect(findApiToken(tokens, junk), junk).toBeUndefined();
});
