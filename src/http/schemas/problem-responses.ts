import { responsesOf } from '../../lib/http/problem.ts';
import type { ProblemCode } from '../../lib/http/problem-codes.ts';

const EVERY_CALL = [
  'malformed_request',
  'invalid_api_key',
  'internal_error',
  'unavailable',
  'temporal_not_set_up',
] as const;
const WITH_BODY = ['malformed_json', 'payload_too_large', 'unsupported_media_type', 'validation_failed'] as const;

/** The response schemas of a route's errors: those of its kind of call, and its own. */
export const problemResponses = (call: 'withoutBody' | 'withBody', ...own: readonly ProblemCode[]): object =>
  responsesOf([...EVERY_CALL, ...(call === 'withBody' ? WITH_BODY : []), ...own]);
