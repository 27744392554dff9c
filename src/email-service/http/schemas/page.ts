import { Type, type TSchema } from 'typebox';
import type { IdPrefix } from '../../resources/resource-ids.ts';
import { cursorOf, oneLine } from './request-fields.ts';
import { NullableString } from '../../resources/wire-types.ts';

export const LIMIT = { most: 100, otherwise: 50 };

/** How many entries a page has at most. */
export const Limit = Type.Integer({
  minimum: 1,
  maximum: LIMIT.most,
  description: `${LIMIT.otherwise} when left out.`,
});

/** What every list of an account takes; `prefix` is that of the ids in it. */
export const pageQuery = (prefix: IdPrefix) => ({
  account: Type.Optional(
    oneLine({
      minLength: 1,
      maxLength: 200,
      description:
        "The caller's own name for the account. Required with the operator credential; with an API key it can only be the key's own account.",
    }),
  ),
  cursor: Type.Optional(cursorOf(prefix, 'The next_cursor of the page before; left out for the first page.')),
  limit: Type.Optional(Limit),
});

/** @param nextCursor where the next page begins, for people */
export const pageOf = <Resource extends TSchema>(
  resource: Resource,
  description: string,
  nextCursor = 'What to send as cursor for the next page; null when this was the last one.',
) =>
  Type.Object(
    {
      data: Type.Array(resource),
      next_cursor: Type.Unsafe<string | null>({ ...NullableString, description: nextCursor }),
    },
    { description },
  );

/** @param rows one more than `limit` when there is a next page */
export function toPage<Row extends { readonly id: string }, Resource>(
  rows: readonly Row[],
  limit: number,
  resource: (row: Row) => Resource,
): { data: Resource[]; next_cursor: string | null } {
  const shown = rows.slice(0, limit);
  return { data: shown.map(resource), next_cursor: rows.length > limit ? (shown.at(-1)?.id ?? null) : null };
}
