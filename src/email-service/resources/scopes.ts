import { Word } from './wire-types.ts';

/** The rights of an API key. Each route names one in its `config.access`. */
export const SCOPES = ['send', 'read', 'manage'] as const;
export type Scope = (typeof SCOPES)[number];

export const ScopeWord = Word(
  SCOPES,
  'send: POST /emails, POST /emails/batch, PATCH /emails/{id} and POST /emails/{id}/cancel. read: GET /emails and /emails/{id}. manage: every other call.',
);

/** @param stored JSON; null for a key with every scope, also those of later versions */
export const scopesOf = (stored: string | null): readonly Scope[] =>
  stored === null ? SCOPES : SCOPES.filter((scope) => (JSON.parse(stored) as string[]).includes(scope));
