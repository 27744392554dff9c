import { responsesOf } from '../../../lib/http/problem.ts';
import type { ProblemCode } from '../../../lib/http/problem-codes.ts';

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

/** The response schemas of a route's errors: those of its kind of call, and its own. */
export const problemResponses = (call: keyof typeof EXPECTED_OF, ...own: readonly ProblemCode[]): object =>
  responsesOf([...EXPECTED_OF[call], ...own]);
