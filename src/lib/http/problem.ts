import { Type, type Static } from 'typebox';
import { codesOf, type ProblemCode, problemCodes } from './problem-codes.ts';

/** One field that breaks one rule. */
export interface FieldError {
  /** RFC 6901, into the body; for a query or path parameter, `/` and its name. */
  readonly pointer: string;
  readonly code: string;
  /** A sentence: what was expected, what was found, what to do; never a secret. */
  readonly detail: string;
}

export interface ProblemExtras {
  readonly errors?: readonly FieldError[];
  readonly existingId?: string | undefined;
  /** The fields in which two inputs differ. */
  readonly fields?: readonly string[];
  /** When and by whom something was taken that is given once. */
  readonly claimed?: { readonly at: string; readonly by: string };
  /** Sent as Retry-After. */
  readonly retryAfterSeconds?: number;
  /** Sent with the answer. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** An expected refusal: the caller gets its text. Any other error thrown is answered as `internal_error`, without its text. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly code: ProblemCode;
  readonly extras: ProblemExtras;

  constructor(code: ProblemCode, detail: string, extras: ProblemExtras = {}) {
    super(detail);
    this.code = code;
    this.extras = extras;
  }
}

/** As many as a person reads at once. */
const DETAILS_MAX = 20;

/** One `validation_failed` for all of `errors`. */
export function refusal(errors: readonly FieldError[]): ProblemError {
  const details = errors.slice(0, DETAILS_MAX).map(({ detail }) => detail);
  const more = errors.length > DETAILS_MAX ? [`${errors.length - DETAILS_MAX} more errors.`] : [];
  return new ProblemError('validation_failed', [...details, ...more].join(' '), { errors });
}

/** At most one. */
export const faultAt = (pointer: string, fault: Omit<FieldError, 'pointer'> | undefined): readonly FieldError[] =>
  fault === undefined ? [] : [{ pointer, ...fault }];

/** Throws `refusal(errors)` unless `errors` is empty. */
export function refuseIfAny(errors: readonly FieldError[]): void {
  if (errors.length > 0) throw refusal(errors);
}

/** RFC 9457, as application/problem+json. */
export const problemSchema = (program: Parameters<typeof codesOf>[0]) =>
  Type.Object(
    {
      code: Type.Unsafe<ProblemCode>({
        type: 'string',
        enum: codesOf(program),
        description: 'Stable; programs decide by it.',
      }),
      title: Type.String(),
      status: Type.Integer(),
      detail: Type.String(),
      request_id: Type.String(),
      existing_id: Type.Optional(Type.String()),
      fields: Type.Optional(Type.Array(Type.String(), { description: 'The fields in which two inputs differ.' })),
      claimed_at: Type.Optional(Type.String({ format: 'date-time' })),
      claimed_by: Type.Optional(Type.String()),
      errors: Type.Optional(
        Type.Array(
          Type.Object({
            pointer: Type.String({ description: 'JSON Pointer (RFC 6901) to the field.' }),
            code: Type.String(),
            detail: Type.String(),
          }),
        ),
      ),
    },
    { $id: 'Problem', description: 'What failed and what to do (RFC 9457).' },
  );
export type Problem = Static<ReturnType<typeof problemSchema>>;

export function problemOf({ code, message, extras }: ProblemError, requestId: string): Problem {
  const { title, status } = problemCodes[code];
  const { existingId, fields, claimed, errors } = extras;
  return {
    code,
    title,
    status,
    detail: message,
    request_id: requestId,
    ...(existingId === undefined ? {} : { existing_id: existingId }),
    ...(fields === undefined ? {} : { fields: [...fields] }),
    ...(claimed === undefined ? {} : { claimed_at: claimed.at, claimed_by: claimed.by }),
    ...(errors === undefined ? {} : { errors: [...errors] }),
  };
}

interface ResponseSchema {
  readonly description: string;
  readonly content: { readonly 'application/problem+json': { readonly schema: { readonly $ref: 'Problem#' } } };
}

/**
 * The response schemas of `codes`, one per status. Typed as no more than an object, so that a route's own answers alone
 * decide what its handler returns.
 */
export function responsesOf(codes: readonly ProblemCode[]): object {
  const statuses = new Set(codes.map((code) => problemCodes[code].status));
  return Object.fromEntries(
    [...statuses].map((status): [number, ResponseSchema] => [
      status,
      {
        description: codes
          .filter((code) => problemCodes[code].status === status)
          .map((code) => `\`${code}\`: ${problemCodes[code].when}`)
          .join('\n\n'),
        content: { 'application/problem+json': { schema: { $ref: 'Problem#' } } },
      },
    ]),
  );
}
