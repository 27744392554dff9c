import { Type, type Static } from 'typebox';
import type { ApiKeyTable } from '../store/schema.ts';
import { NullableString, Timestamp } from './wire-types.ts';

export const ApiKeyResource = Type.Object(
  {
    id: Type.String(),
    name: NullableString,
    account_id: Type.String(),
    last_four: Type.String({ description: 'The last four characters of the token, to distinguish keys.' }),
    created_at: Timestamp,
  },
  { description: 'An API key without its token.' },
);
export type ApiKeyResource = Static<typeof ApiKeyResource>;

/** Without the token, which only the response to POST /api-keys contains. */
export const apiKeyResource = (row: ApiKeyTable): ApiKeyResource => ({
  id: row.id,
  name: row.name,
  account_id: row.account_id,
  last_four: row.last_four,
  created_at: row.created_at,
});
