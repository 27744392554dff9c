import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { isDatabaseOutOfReach } from '../../lib/sql/sqlite-error.ts';
import { problems, ProblemError, refusal, type ProblemCode } from './errors.ts';
import { fieldErrors } from './field-errors.ts';
import { newId } from '../resources/resource-ids.ts';
import type { Problem } from './schemas/problem.ts';

const DATABASE_RETRY_SECONDS = 5;

/** What Fastify throws before a route is reached, and what it means to the caller. */
const FRAMEWORK_ERRORS: Readonly<Record<string, readonly [ProblemCode, string]>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['unsupported_media_type', 'Send the body with Content-Type: application/json.'],
  FST_ERR_CTP_BODY_TOO_LARGE: ['payload_too_large', 'Send a smaller body.'],
  FST_ERR_CTP_EMPTY_JSON_BODY: ['malformed_json', 'The body is empty. Send a JSON object.'],
  FST_ERR_MAX_PARAM_LENGTH: ['not_found', 'No id is as long as the one in this URL.'],
  FST_ERR_CTP_INVALID_JSON_BODY: ['malformed_json', 'The body cannot be parsed as JSON.'],
};

/** For Fastify's error handler: every error becomes application/problem+json (RFC 9457). */
export async function replyWithError(error: unknown, request: FastifyRequest, reply: FastifyReply): Promise<Problem> {
  const problem = asProblemError(error);
  const { status } = problems[problem.code];
  if (status >= 500) request.log.error({ err: error }, 'a request failed');
  if (problem.code === 'invalid_api_key') {
    // RFC 6750 section 3: an error code only for a credential that was sent.
    const refused = request.headers.authorization === undefined ? '' : ', error="invalid_token"';
    reply.header('www-authenticate', `Bearer realm="email service"${refused}`);
  }
  if (problem.extras.retryAfterSeconds !== undefined) reply.header('retry-after', problem.extras.retryAfterSeconds);
  reply.code(status).type('application/problem+json');
  return problemResource(problem, request.id);
}

/** For Fastify's handler of unknown routes. */
export function replyToUnknownRoute(request: FastifyRequest, reply: FastifyReply): Promise<Problem> {
  const [path = ''] = request.url.split('?');
  const detail = `There is no call ${request.method} ${path}. See /openapi.json for those there are.`;
  return replyWithError(new ProblemError('not_found', detail), request, reply);
}

/** For Fastify's errors of URLs that lead to no route; neither hooks nor the error handler are run for them. */
export function replyBeforeRouting(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  const problem = asProblemError(error);
  void reply
    .code(problems[problem.code].status)
    .header('x-request-id', request.id)
    .type('application/problem+json')
    .send(JSON.stringify(problemResource(problem, request.id)));
}

/** For Node's `clientError`: what arrived is not HTTP that could be answered by a route. */
export function replyToBrokenConnection(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const code = BROKEN_CONNECTIONS[error.code ?? ''] ?? 'malformed_request';
  const problem = new ProblemError(code, problems[code].when);
  const requestId = newId('req');
  const body = JSON.stringify(problemResource(problem, requestId));
  const { status } = problems[code];
  socket.end(
    `HTTP/1.1 ${status} ${problems[code].title}\r\ncontent-type: application/problem+json\r\nx-request-id: ${requestId}\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}

/** For Node's `checkExpectation`, which takes the place of every route. */
export function replyToUnknownExpectation(_request: IncomingMessage, response: ServerResponse): void {
  const problem = new ProblemError('expectation_failed', problems.expectation_failed.when);
  const requestId = newId('req');
  const body = JSON.stringify(problemResource(problem, requestId));
  response
    .writeHead(problems.expectation_failed.status, {
      'content-type': 'application/problem+json',
      'content-length': Buffer.byteLength(body),
      'x-request-id': requestId,
      // A body that may follow is not read.
      connection: 'close',
    })
    .end(body);
}

const BROKEN_CONNECTIONS: Readonly<Record<string, ProblemCode>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
  HPE_HEADER_OVERFLOW: 'headers_too_large',
};

function asProblemError(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error;
  if (isDatabaseOutOfReach(error)) {
    return new ProblemError('unavailable', 'The database cannot be used at the moment. Try again later.', {
      retryAfterSeconds: DATABASE_RETRY_SECONDS,
    });
  }
  return (isFastifyError(error) ? fromFastify(error) : undefined) ?? unforeseen();
}

/** Undefined when it is not the caller's fault. */
function fromFastify(error: FastifyError): ProblemError | undefined {
  if (error.validation !== undefined) return refusal(fieldErrors(error.validation));
  const [code, detail] = FRAMEWORK_ERRORS[error.code] ?? [];
  if (code !== undefined && detail !== undefined) return new ProblemError(code, detail);
  if (error.statusCode === undefined || error.statusCode >= 500) return undefined;
  return new ProblemError('malformed_request', 'The URL or a header of this request cannot be read.');
}

const unforeseen = (): ProblemError =>
  new ProblemError('internal_error', 'This was not foreseen. Tell the operator the request id; the log has the cause.');

const isFastifyError = (error: unknown): error is FastifyError => error instanceof Error && 'code' in error;

function problemResource({ code, message, extras }: ProblemError, requestId: string): Problem {
  const { title, status } = problems[code];
  return {
    code,
    title,
    status,
    detail: message,
    request_id: requestId,
    ...(extras.existingId === undefined ? {} : { existing_id: extras.existingId }),
    ...(extras.errors === undefined ? {} : { errors: [...extras.errors] }),
  };
}
