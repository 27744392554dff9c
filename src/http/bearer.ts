import type { onRequestAsyncHookHandler } from 'fastify';
import { type ApiToken, findApiToken } from '../lib/api-tokens.ts';
import { bearerToken } from '../lib/http/bearer-token.ts';
import { ProblemError } from '../lib/http/problem.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The name of the token that the request carries; empty for the calls that need none. */
    apiTokenName: string;
  }
}

/** Every log line of the request has the name of its token. */
export function requireBearer(tokens: readonly ApiToken[]): onRequestAsyncHookHandler {
  return async (request, reply) => {
    const match = findApiToken(tokens, bearerToken(request.headers.authorization));
    if (match === undefined) {
      throw new ProblemError(
        'invalid_api_key',
        'Send the header Authorization: Bearer with a token of SENDOFF_API_TOKEN.',
      );
    }
    request.apiTokenName = match.name;
    request.log = reply.log = request.log.child({ apiTokenName: match.name });
  };
}
