import { Type, type TBoolean, type TOptional, type TString, type TUnsafe } from 'typebox';

/** RFC 3339, UTC, milliseconds. */
export const Timestamp = Type.String({ format: 'date-time' });

const nullable =
  <Value>(schema: { readonly type: readonly [string, 'null']; readonly format?: string }) =>
  (description?: string): TUnsafe<Value | null> =>
    Type.Unsafe<Value | null>({ ...schema, ...(description === undefined ? {} : { description }) });

export const nullableString = nullable<string>({ type: ['string', 'null'] });
export const nullableTimestamp = nullable<string>({ type: ['string', 'null'], format: 'date-time' });
export const nullableInteger = nullable<number>({ type: ['integer', 'null'] });

export const TextMap = Type.Unsafe<Record<string, string>>({
  type: 'object',
  additionalProperties: { type: 'string' },
});

/** One of a few words. `type` is added to `enum` because many client generators need both. */
export const Word = <const W extends string>(words: readonly W[], description?: string): TUnsafe<W> =>
  Type.Unsafe<W>({ type: 'string', enum: words, ...(description === undefined ? {} : { description }) });

/** Those of the fields that the whole has. */
export const pick = <Whole extends object, const Name extends keyof Whole>(
  whole: Whole,
  names: readonly Name[],
): Pick<Whole, Name> =>
  Object.fromEntries(names.filter((name) => name in whole).map((name) => [name, whole[name]])) as Pick<Whole, Name>;

/** The fields of a resource that its row has under the same names. */
export const sameFields = <Fields extends object, Row extends object>(
  { properties }: { readonly properties: Fields },
  row: Row,
): Pick<Row, keyof Fields & keyof Row> => pick(row, Object.keys(properties) as (keyof Fields & keyof Row)[]);

/** A secret in the response to its creation, and the field that replaces it once it has expired. */
export const onceShown = <const Name extends string>(name: Name) =>
  ({
    [name]: Type.Optional(
      Type.String({
        description:
          'Shown only in this response. For 24 hours, repeating the request with the same Idempotency-Key returns it again, for callers that crashed before storing it.',
      }),
    ),
    secret_unavailable: Type.Optional(
      Type.Boolean({ description: `True if the request is repeated after ${name} has expired.` }),
    ),
  }) as Record<Name, TOptional<TString>> & { secret_unavailable: TOptional<TBoolean> };
