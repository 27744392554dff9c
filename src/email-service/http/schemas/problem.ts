import { Type, type Static } from 'typebox';
import { problems, type ProblemCode } from '../errors.ts';
import { Word } from '../../resources/wire-types.ts';

/** RFC 9457, as application/problem+json. */
export const Problem = Type.Object(
  {
    code: Word(Object.keys(problems) as ProblemCode[], 'Stable; what a program decides by.'),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String(),
    request_id: Type.String(),
    existing_id: Type.Optional(Type.String()),
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
  { $id: 'Problem', description: 'What went wrong and what to do (RFC 9457).' },
);
export type Problem = Static<typeof Problem>;

interface ResponseSchema {
  readonly description: string;
  readonly content: { readonly 'application/problem+json': { readonly schema: { readonly $ref: 'Problem#' } } };
}

const ANY_CALL = ['malformed_request', 'internal_error', 'unavailable'] as const;
const WITH_CREDENTIAL = [...ANY_CALL, 'invalid_api_key', 'insufficient_scope'] as const;
const WITH_BODY = [
  ...WITH_CREDENTIAL,
  'malformed_json',
  'idempotency_key_malformed',
  'idempotency_in_progress',
  'payload_too_large',
  'unsupported_media_type',
  'validation_failed',
  'idempotency_key_reused',
] as const;
const EXPECTED_OF = { anyone: ANY_CALL, withoutBody: WITH_CREDENTIAL, withBody: WITH_BODY };

/**
 * The response schemas of a route's errors, one a status, described by the table of codes. Typed as no more than an
 * object, so that a route's own answers alone decide what its function returns.
 */
export function problemResponses(call: keyof typeof EXPECTED_OF, ...own: readonly ProblemCode[]): object {
  const codes: readonly ProblemCode[] = [...EXPECTED_OF[call], ...own];
  const statuses = new Set(codes.map((code) => problems[code].status));
  return Object.fromEntries(
    [...statuses].map((status): [number, ResponseSchema] => [
      status,
      {
        description: codes
          .filter((code) => problems[code].status === status)
          .map((code) => `\`${code}\`: ${problems[code].when}`)
          .join('\n\n'),
        content: { 'application/problem+json': { schema: { $ref: 'Problem#' } } },
      },
    ]),
  );
}
