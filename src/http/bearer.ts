import type { onRequestAsyncHookHandler } from 'fastify';
import { ProblemError } from '../lib/http/problem.ts';
import { sameSecret } from '../lib/same-secret.ts';

/** RFC 6750 section 2.1. */
export function requireBearer(token: string): onRequestAsyncHookHandler {
  return async (request) => {
    const [, given] = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
    if (given === undefined || !sameSecret(given, token)) {
      throw new ProblemError(
        'invalid_api_key',
        'Send the header Authorization: Bearer with the value of SENDOFF_API_TOKEN.',
      );
    }
  };
}
