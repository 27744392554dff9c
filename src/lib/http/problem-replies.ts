import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { typeid } from 'typeid-js';
import { isDatabaseOutOfReach } from '../sql/database-error.ts';
import { fieldErrors, type PatternMeanings } from './field-errors.ts';
import { methodsByPath } from './methods-by-path.ts';
import { ProblemError, problemOf, refusal } from './problem.ts';
import { type ProblemCode, problemCodes } from './problem-codes.ts';

export interface ProblemOptions {
  /** For WWW-Authenticate (RFC 9110 section 11.5). */
  readonly realm: string;
  readonly patternMeanings: PatternMeanings;
  /** The answer to an error of a library; undefined when it is unexpected. */
  readonly recognize?: (error: Error) => ProblemError | undefined;
}

const UNAVAILABLE_RETRY_SECONDS = 5;

/** The errors that Fastify throws before a handler runs, and what each means to the caller. */
const FRAMEWORK_ERRORS: Readonly<Record<string, readonly [ProblemCode, string]>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['unsupported_media_type', 'Send the body with Content-Type: application/json.'],
  FST_ERR_CTP_BODY_TOO_LARGE: ['payload_too_large', 'Send a smaller body.'],
  FST_ERR_CTP_EMPTY_JSON_BODY: ['malformed_json', 'The body is empty. Send a JSON object.'],
  FST_ERR_CTP_INVALID_JSON_BODY: ['malformed_json', 'The body cannot be parsed as JSON.'],
  FST_ERR_MAX_PARAM_LENGTH: ['not_found', 'No ID is as long as the one in this URL.'],
};

/** Never the caller's own: it is written to the log. */
export const newRequestId = (): string => typeid('req').toString();

/** Answers every error of `app` as application/problem+json (RFC 9457); call it before routes are registered. */
export function answerWithProblems(app: FastifyInstance, options: ProblemOptions): void {
  const methodsOf = methodsByPath(app);

  const reply = (error: unknown, request: FastifyRequest, answer: FastifyReply): FastifyReply => {
    const problem = asProblemError(error, request, options);
    const { status } = problemCodes[problem.code];
    if (status >= 500) request.log[status === 500 ? 'error' : 'warn']({ err: error }, 'request failed');
    if (problem.code === 'invalid_api_key') {
      // RFC 6750 section 3: an error code only for a credential that was sent.
      const refused = request.headers.authorization === undefined ? '' : ', error="invalid_token"';
      answer.header('www-authenticate', `Bearer realm="${options.realm}"${refused}`);
    }
    if (problem.extras.retryAfterSeconds !== undefined) answer.header('retry-after', problem.extras.retryAfterSeconds);
    if (problem.extras.headers !== undefined) answer.headers(problem.extras.headers);
    return answer.code(status).type('application/problem+json').send(problemOf(problem, request.id));
  };

  app.setErrorHandler(reply);
  app.setNotFoundHandler((request, answer) => {
    const [path = ''] = request.url.split('?');
    const allowed = methodsOf(path);
    // The handler of a wildcard route calls this, too, for a path that it does not have.
    if (allowed.length === 0 || (request.method !== 'OPTIONS' && allowed.includes(request.method))) {
      const detail = `${request.method} ${path} is not a call of this API. See /openapi.json for its calls.`;
      return reply(new ProblemError('not_found', detail), request, answer);
    }
    answer.header('allow', allowed.join(', '));
    if (request.method === 'OPTIONS') return answer.code(204).send();
    const detail = `${path} does not support ${request.method}. Use ${allowed.join(' or ')}.`;
    return reply(new ProblemError('method_not_allowed', detail), request, answer);
  });
  app.addHook('onRequest', async (request, answer) => {
    answer.header('x-request-id', request.id);
  });
  app.server.on('checkExpectation', replyToUnknownExpectation);
}

/** For Fastify's `frameworkErrors`: URLs that lead to no route, for which it runs neither hooks nor the error handler. */
export function replyBeforeRouting(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  const problem = fromFastify(error, request, {}) ?? unexpected();
  void reply
    .code(problemCodes[problem.code].status)
    .header('x-request-id', request.id)
    .type('application/problem+json')
    .send(JSON.stringify(problemOf(problem, request.id)));
}

const BROKEN_CONNECTIONS: Readonly<Record<string, ProblemCode>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
  HPE_HEADER_OVERFLOW: 'headers_too_large',
};

/** For Node's `clientError`: the bytes that arrived are not a request that a route could answer. */
export function replyToBrokenConnection(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const code = BROKEN_CONNECTIONS[error.code ?? ''] ?? 'malformed_request';
  const { status, title } = problemCodes[code];
  const { body, headers } = bareAnswer(code);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${title}\r\n${lines.join('')}\r\n${body}`);
}

/** For Node's `checkExpectation`, which replaces every route. */
function replyToUnknownExpectation(_request: IncomingMessage, response: ServerResponse): void {
  const { body, headers } = bareAnswer('expectation_failed');
  response.writeHead(problemCodes.expectation_failed.status, headers).end(body);
}

/** An answer without Fastify, after which the connection is closed: a body that may follow is not read. */
function bareAnswer(code: ProblemCode): { body: string; headers: Record<string, string> } {
  const requestId = newRequestId();
  const body = JSON.stringify(problemOf(new ProblemError(code, problemCodes[code].when), requestId));
  return {
    body,
    headers: {
      'content-type': 'application/problem+json',
      'content-length': String(Buffer.byteLength(body)),
      'x-request-id': requestId,
      connection: 'close',
    },
  };
}

/** @param reason a sentence */
export const unavailable = (reason: string): ProblemError =>
  new ProblemError('unavailable', `${reason} Try again.`, { retryAfterSeconds: UNAVAILABLE_RETRY_SECONDS });

function asProblemError(error: unknown, request: FastifyRequest, options: ProblemOptions): ProblemError {
  if (error instanceof ProblemError) return error;
  if (!(error instanceof Error)) return unexpected();
  if (isDatabaseOutOfReach(error)) {
    return unavailable('The database cannot be used: it is out of reach or locked, or its disk is full.');
  }
  return options.recognize?.(error) ?? fromFastify(error, request, options.patternMeanings) ?? unexpected();
}

/** Undefined when the caller did not cause it. */
function fromFastify(
  error: Error & Partial<FastifyError>,
  request: FastifyRequest,
  patternMeanings: PatternMeanings,
): ProblemError | undefined {
  if (error.validation !== undefined) {
    const pathParameters = Object.keys(request.params as object);
    return refusal(fieldErrors(error.validation, { patternMeanings, pathParameters }));
  }
  const [code, detail] = FRAMEWORK_ERRORS[error.code ?? ''] ?? [];
  if (code !== undefined && detail !== undefined) return new ProblemError(code, detail);
  // The JSON parser refuses a key such as __proto__ with a SyntaxError of its own.
  if (error instanceof SyntaxError) return new ProblemError('malformed_json', 'The body cannot be parsed as JSON.');
  if (error.statusCode === undefined || error.statusCode >= 500) return undefined;
  return new ProblemError('malformed_request', 'The URL or a header of this request cannot be read.');
}

const unexpected = (): ProblemError =>
  new ProblemError('internal_error', 'Unexpected error. Contact the operator with this request ID.');
