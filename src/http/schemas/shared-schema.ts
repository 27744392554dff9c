import { type Static, type TObject, type TSchema, Type } from 'typebox';

/** A schema with a name in the OpenAPI document; the compiler checks that its values are of type `T`. */
export const sharedSchema =
  <T>() =>
  <S extends TObject>(name: string, description: string, schema: Static<S> extends T ? S : never) => ({
    schema: { ...(schema as S), $id: name, description } as TSchema,
    ref: Type.Unsafe<T>({ $ref: `${name}#`, description }),
  });

export const nullable = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()]);

export const words = <const W extends string>(list: readonly W[]) => Type.Unsafe<W>({ type: 'string', enum: list });

export const NullableString = nullable(Type.String());
/** RFC 3339, UTC. */
export const Time = Type.String({ format: 'date-time' });
export const NullableTime = nullable(Time);
export const NullableInteger = nullable(Type.Integer());

/** Of a page that begins after another. */
export const Cursor = Type.Optional(
  Type.String({ maxLength: 1_000, description: 'The `next_cursor` of the previous page.' }),
);

export const pageOf = <S extends TSchema>(entry: S, description: string) =>
  Type.Object(
    {
      data: Type.Array(entry),
      next_cursor: Type.Unsafe<string | null>({
        ...NullableString,
        description: 'Send as `cursor` to get the next page; null on the last page.',
      }),
    },
    { description },
  );

export const PendingActivities = Type.Array(
  Type.Object({
    activity: Type.String(),
    attempt: Type.Integer(),
    message: NullableString,
    nextAttemptAt: NullableTime,
  }),
  { description: 'What Temporal tries now or will try again, with the message of the last attempt.' },
);

export const UiUrl = Type.Unsafe<string | null>({
  type: ['string', 'null'],
  description: 'The page in the Temporal UI; null if its address is not configured.',
});
