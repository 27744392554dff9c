import type { onRequestAsyncHookHandler } from 'fastify';
import { createHash, timingSafeEqual } from 'node:crypto';
import { ProblemError } from '../lib/http/problem.ts';

/** RFC 6750 section 2.1. Compares hashes, so that the time taken reveals neither content nor length. */
export function requireBearer(token: string): onRequestAsyncHookHandler {
  const expected = digest(token);
  return async (request) => {
    const [, given] = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
    if (given === undefined || !timingSafeEqual(digest(given), expected)) {
      throw new ProblemError(
        'invalid_api_key',
        'Send the header Authorization: Bearer with the value of SENDOFF_API_TOKEN.',
      );
    }
  };
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
