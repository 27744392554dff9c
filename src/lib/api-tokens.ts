/** A bearer token of the HTTP API. */
export interface ApiToken {
  /** Stands for the token in logs and audit lines. */
  readonly name: string;
  readonly token: string;
}

/** The name of a token that is configured without one. */
const UNNAMED = 'default';
const NAMED = /^([A-Za-z0-9._-]{1,64}):(.*)$/;
const TOKEN = /^[!-+\--~]{24,}$/;

const EXPECTED =
  'at least 24 visible ASCII characters without comma and not a placeholder, or several such tokens without colon, with different names: name:token,name:token';

/** The tokens of `token` or, recognized by its comma, `name:token,name:token`. Throws an Error whose message is the expected form. */
export function apiTokens(value: string): readonly ApiToken[] {
  const tokens = entriesOf(value);
  const areValid = tokens.every(
    ({ token }) => TOKEN.test(token) && !token.includes('$(') && (tokens.length === 1 || !token.includes(':')),
  );
  if (!areValid || new Set(tokens.map(({ name }) => name)).size < tokens.length) throw new Error(EXPECTED);
  return tokens;
}

/** The first token, which a client sends. */
export const firstApiToken = (value: string): string => entriesOf(value)[0]?.token ?? value;

/** A single token may have a colon, which is a part of it. */
const entriesOf = (value: string): ApiToken[] =>
  value.includes(',')
    ? value.split(',').map((entry) => {
        const [, name = UNNAMED, token = entry.trim()] = NAMED.exec(entry.trim()) ?? [];
        return { name, token };
      })
    : [{ name: UNNAMED, token: value.trim() }];
