import { type Static, type TObject, type TProperties, type TSchema, Type } from 'typebox';

/** A schema with a name in the OpenAPI document; the compiler checks that its values are of type `T`. */
export const sharedSchema =
  <T>() =>
  <S extends TObject>(name: string, description: string, schema: Static<S> extends T ? S : never) => ({
    schema: { ...(schema as S), $id: name, description } as TSchema,
    ref: Type.Unsafe<T>({ $ref: `${name}#`, description }),
  });

/** What a caller sends: an unknown field is refused. */
export const strictObject = <P extends TProperties>(properties: P) =>
  Type.Object(properties, { additionalProperties: false });

export const described = <P extends TProperties>(description: string, properties: P) =>
  Type.Object(properties, { description }) as TObject<P> & { readonly description: string };

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
  described(description, {
    data: Type.Array(entry),
    next_cursor: Type.Unsafe<string | null>({
      ...NullableString,
      description: 'Send as `cursor` to get the next page; null on the last page.',
    }),
  });

/** A finding of a DNS record. */
export const finding = {
  code: Type.String({ description: 'See docs/dns-findings.md.' }),
  name: Type.String({ description: 'Where it was seen.' }),
  fix: Type.String({ description: 'What the tenant does.' }),
  publish: Type.Optional(Type.Object({ type: Type.String(), host: Type.String(), value: Type.String() })),
};

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
