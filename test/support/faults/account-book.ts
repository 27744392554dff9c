import { createHash } from 'node:crypto';
import { type Answer, type Call, headerOf, pathOf, readJson } from './exchange.ts';

export interface AccountBook {
  /** Name of the account that a call is for; undefined if its API key was not created through the proxy. */
  accountOf(call: Call): string | undefined;
  /** Remembers the account of the API key in a response. */
  learnFrom(call: Call, answer: Answer): void;
}

/** Finds the account of a call: POST /api-keys names the account, and its response holds the token. */
export function createAccountBook(): AccountBook {
  // Digests, because only the owner may store a token.
  const accounts = new Map<string, string>();
  return {
    accountOf: (call) => namedIn(call) ?? accounts.get(digest(headerOf(call, 'authorization') ?? '')),
    learnFrom(call, answer) {
      const account = namedIn(call);
      const token = account === undefined ? undefined : readJson(answer.body)?.['token'];
      if (account !== undefined && typeof token === 'string') accounts.set(digest(`Bearer ${token}`), account);
    },
  };
}

function namedIn(call: Call): string | undefined {
  if (call.method !== 'POST' || pathOf(call.url) !== '/api-keys') return undefined;
  const account = readJson(call.body)?.['account'];
  return typeof account === 'string' ? account : undefined;
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');
