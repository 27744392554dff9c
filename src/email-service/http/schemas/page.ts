import { Type, type TSchema } from 'typebox';
import type { IdPrefix } from '../../resources/resource-ids.ts';
import { cursorField, oneLine } from './request-fields.ts';
import { nullableString } from '../../resources/wire-types.ts';

export const LIMIT = { most: 100, otherwise: 50 };

export const Limit = Type.Integer({
  minimum: 1,
  maximum: LIMIT.most,
  description: `The largest number of entries in the page; ${LIMIT.otherwise} by default.`,
});

/** The query parameters of every list. @param prefix of the listed ids */
export const pageQuery = (prefix: IdPrefix) => ({
  account: Type.Optional(
    oneLine({
      minLength: 1,
      maxLength: 200,
      description:
        "The caller's name for the account. Required with the operator token; an API key can name only its own account.",
    }),
  ),
  ...pageQueryOfAll(prefix),
});

/** Of a list that is of no account. */
export const pageQueryOfAll = (prefix: IdPrefix) => ({
  cursor: Type.Optional(cursorField(prefix, 'The next_cursor of the previous page; omit it for the first page.')),
  limit: Type.Optional(Limit),
});
export const pageOf = <Resource extends TSchema>(
  resource: Resource,
  description: string,
  nextCursor = 'Send as `cursor` to get the next page; null on the last page.',
) =>
  Type.Object(
    {
      data: Type.Array(resource),
      next_cursor: nullableString(nextCursor),
    },
    { description },
  );

/** @param rows one more than `limit` if there is a next page */
export function toPage<Row extends { readonly id: string }, Resource>(
  rows: readonly Row[],
  limit: number,
  resource: (row: Row) => Resource,
): { data: Resource[]; next_cursor: string | null } {
  const shown = rows.slice(0, limit);
  return { data: shown.map(resource), next_cursor: rows.length > limit ? (shown.at(-1)?.id ?? null) : null };
}
