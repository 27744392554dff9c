import { createHash } from 'node:crypto';
import { type Answer, type Call, headerOf, pathOf, readJson } from './exchange.ts';

export interface AccountBook {
  /** Name of the account that a call is for; undefined when it was not seen to come into being. */
  accountOf(call: Call): string | undefined;
  /** Remembers whose key an answer holds. */
  learnFrom(call: Call, answer: Answer): void;
}

/** Tells accounts apart by what passes: the operator names one in POST /api-keys, and the token in the answer is its. */
export function createAccountBook(): AccountBook {
  // Digests, because a token is nobody else's to keep.
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
