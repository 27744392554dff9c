import { sameSecret } from './same-secret.ts';

/** A bearer token of an HTTP API. */
export interface ApiToken {
  /** Stands for the token in logs and audit lines. */
  readonly name: string;
  readonly token: string;
}

/** The name of a token that is configured without one. */
export const UNNAMED = 'default';
const NAMED = /^([A-Za-z0-9._-]{1,64}):(.*)$/;
const VISIBLE = /^[!-+\--~]+$/;
const LENGTH_MIN = 24;

const expected = (lengthMin: number): string =>
  `at least ${String(lengthMin)} visible ASCII characters without comma and not a placeholder, or several such tokens without colon, with different names: name:token,name:token`;

/** The tokens of `token` or, recognized by its comma, `name:token,name:token`. Throws an Error whose message is the expected form. */
export function apiTokens(value: string, lengthMin = LENGTH_MIN): readonly ApiToken[] {
  const tokens = entriesOf(value);
  const areValid = tokens.every(
    ({ token }) =>
      token.length >= lengthMin &&
      VISIBLE.test(token) &&
      !token.includes('$(') &&
      (tokens.length === 1 || !token.includes(':')),
  );
  if (!areValid || new Set(tokens.map(({ name }) => name)).size < tokens.length) throw new Error(expected(lengthMin));
  return tokens;
}

/** Compares with every token, so that the time does not depend on which one matches. */
export function findApiToken(tokens: readonly ApiToken[], given: string): ApiToken | undefined {
  const [match] = tokens.filter(({ token }) => sameSecret(given, token));
  return match;
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
