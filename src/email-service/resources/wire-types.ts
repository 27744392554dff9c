import { Type, type TBoolean, type TOptional, type TString, type TUnsafe } from 'typebox';

/** RFC 3339, UTC, milliseconds. */
export const Timestamp = Type.String({ format: 'date-time' });
export const NullableTimestamp = Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time' });
export const NullableString = Type.Unsafe<string | null>({ type: ['string', 'null'] });
export const NullableInteger = Type.Unsafe<number | null>({ type: ['integer', 'null'] });
export const TextMap = Type.Unsafe<Record<string, string>>({
  type: 'object',
  additionalProperties: { type: 'string' },
});

/** One of a few words; `type` stands beside `enum`, because many generators of clients want both. */
export const Word = <const W extends string>(words: readonly W[], description?: string): TUnsafe<W> =>
  Type.Unsafe<W>({ type: 'string', enum: words, ...(description === undefined ? {} : { description }) });

/** A secret that only the answer to its creation has, and what stands there when it cannot be shown any more. */
export const onceShown = <const Name extends string>(name: Name) =>
  ({
    [name]: Type.Optional(
      Type.String({
        description:
          'Shown once, in this answer. A repeat with the same Idempotency-Key shows it again for 24 hours, for callers that crashed before they had stored it.',
      }),
    ),
    secret_unavailable: Type.Optional(
      Type.Boolean({ description: `True in a repeat that comes too late to show ${name} again.` }),
    ),
  }) as Record<Name, TOptional<TString>> & { secret_unavailable: TOptional<TBoolean> };
