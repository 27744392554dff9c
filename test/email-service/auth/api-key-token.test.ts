import { describe, expect, test } from 'vitest';
import { apiKeyTokenFault, newApiKeyToken } from '../../../src/email-service/auth/api-key-token.ts';

describe('an API key token', () => {
  test('has a fixed form and length, and is unique', () => {
    const tokens = Array.from({ length: 2_000 }, newApiKeyToken);
    expect(tokens.every((token) => /^so_live_[0-9A-Za-z]{49}$/.test(token))).toBe(true);
    expect(new Set(tokens).size).toBe(2_000);
    expect(tokens.filter((token) => apiKeyTokenFault(token) !== undefined)).toEqual([]);
  });

  test('is refused if one character changes or two neighbours are swapped', () => {
    const token = newApiKeyToken();
    const changed = Array.from(token).map(
      (character, at) => token.slice(0, at) + (character === 'a' ? 'b' : 'a') + token.slice(at + 1),
    );
    const swapped = Array.from(token).map(
      (_, at) => token.slice(0, at) + (token[at + 1] ?? '') + (token[at] ?? '') + token.slice(at + 2),
    );
    const accepted = [...changed, ...swapped].filter((typo) => typo !== token && apiKeyTokenFault(typo) === undefined);
    expect(accepted).toEqual([]);
  });

  test('is rejected as incomplete when it is truncated or has characters appended', () => {
    const token = newApiKeyToken();
    expect(apiKeyTokenFault(token.slice(0, -1))).toContain('Copy the whole key');
    expect(apiKeyTokenFault(`${token}\n`)).toContain('Copy the whole key');
    expect(apiKeyTokenFault('')).toContain('Copy the whole key');
  });
});
