import { Type, type Static } from 'typebox';
import type { ApiKeyTable } from '../store/schema.ts';
import { ScopeWord, scopesOf } from './scopes.ts';
import { nullableString, nullableTimestamp, sameFields, Timestamp } from './wire-types.ts';

export const ApiKeyResource = Type.Object(
  {
    id: Type.String(),
    name: nullableString(),
    account_id: Type.String(),
    last_four: Type.String({ description: 'The last four characters of the token, to distinguish keys.' }),
    scopes: Type.Array(ScopeWord),
    parent_id: nullableString(
      'The API key that created this one, and whose revocation revokes it; null if the operator created it.',
    ),
    domain_id: nullableString(
      'The only domain from whose senders it may send, and whose emails it may read; null for every domain of the account.',
    ),
    created_at: Timestamp,
    expires_at: nullableTimestamp('When it stops working; null if never.'),
    last_used_at: nullableTimestamp('At most an hour before its last use; null if it was never used.'),
    revoked_at: nullableTimestamp(),
  },
  { description: 'An API key without its token.' },
);
export type ApiKeyResource = Static<typeof ApiKeyResource>;

/** Without the token, which only the response to POST /api-keys contains. */
export const apiKeyResource = (row: ApiKeyTable): ApiKeyResource => ({
  ...sameFields(ApiKeyResource, row),
  scopes: [...scopesOf(row.scopes)],
});
