import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isDatabaseOutOfReach } from '../lib/sql/sqlite-error.ts';
import { SETUP_COMMAND } from '../lib/temporal/setup/setup-gap.ts';
import { setupRefusal } from '../lib/temporal/setup/setup-refusal.ts';

/** Every error the HTTP API answers with (RFC 9457): its stable code, status and title. */
export const problems = {
  malformed_json: { status: 400, title: 'The request body is not JSON' },
  invalid_request: { status: 400, title: 'The request cannot be read' },
  unauthorized: { status: 401, title: 'The bearer token is missing or wrong' },
  invalid_signature: { status: 401, title: 'The webhook signature does not fit' },
  not_found: { status: 404, title: 'There is nothing at this address' },
  onboarding_differs: { status: 409, title: 'The tenant has an onboarding with another input' },
  check_differs: { status: 409, title: 'Another check of the producer is under way' },
  batch_differs: { status: 409, title: 'The batch was started with another list' },
  onboarding_gone: { status: 410, title: 'The onboarding no longer wants webhooks' },
  body_too_large: { status: 413, title: 'The request body is too large' },
  unsupported_media_type: { status: 415, title: 'The request body must be application/json' },
  invalid_input: { status: 422, title: 'The input is wrong' },
  internal_error: { status: 500, title: 'Something went wrong here' },
  agents_md_off: { status: 503, title: 'The AGENTS.md check is not switched on' },
  database_unavailable: { status: 503, title: 'The database cannot be used' },
  temporal_not_set_up: { status: 503, title: 'Temporal is not set up for sendoff' },
  temporal_unavailable: { status: 503, title: 'Temporal cannot be reached' },
} as const satisfies Record<string, { status: number; title: string }>;

export type ProblemCode = keyof typeof problems;

/** Thrown by routes; anything else that is thrown is answered as `internal_error` with nothing of the exception. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly code: ProblemCode;
  readonly extras: Readonly<Record<string, unknown>>;
  readonly retryAfterSeconds: number | undefined;

  constructor(
    code: ProblemCode,
    detail: string,
    extras: Readonly<Record<string, unknown>> = {},
    retryAfterSeconds?: number,
  ) {
    super(detail);
    this.code = code;
    this.extras = extras;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

export function answerWithProblems(app: FastifyInstance): void {
  app.setNotFoundHandler((request, reply) =>
    send(
      reply,
      new Problem('not_found', `${request.method} ${request.url.split('?')[0] ?? ''} is not a call of this API`),
    ),
  );
  app.setErrorHandler((error, request, reply) => {
    const problem = toProblem(error);
    if (['internal_error', 'database_unavailable'].includes(problem.code))
      request.log.error({ err: error }, 'a request failed');
    return send(reply, problem);
  });
}

/** For requests that the router itself refuses. */
export function answerUnroutable(_error: Error, _request: FastifyRequest, reply: FastifyReply): void {
  void send(reply, new Problem('invalid_request', 'The path of the URL cannot be read'));
}

function send(reply: FastifyReply, { code, message, extras, retryAfterSeconds }: Problem): FastifyReply {
  const { status, title } = problems[code];
  if (retryAfterSeconds !== undefined) void reply.header('retry-after', retryAfterSeconds);
  return reply
    .status(status)
    .type('application/problem+json')
    .send({ code, title, status, detail: message, ...extras, request_id: reply.request.id });
}

/** CANCELLED, too: that is how a call ends whose server dies in the middle of it. */
const GRPC_UNAVAILABLE = [1, 4, 14];

function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (!(error instanceof Error)) return new Problem('internal_error', 'The request id helps to find it in the log');
  if (isDatabaseOutOfReach(error)) {
    return new Problem(
      'database_unavailable',
      'Another program locks it, or its disk is full or gone. Try again',
      {},
      5,
    );
  }
  const fastifyCode = 'code' in error ? error.code : undefined;
  switch (fastifyCode) {
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
      return new Problem('malformed_json', 'Expected one JSON object');
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new Problem('body_too_large', 'Expected at most 2 MB');
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new Problem('unsupported_media_type', 'Expected content-type: application/json');
    default:
  }
  if (error instanceof SyntaxError) return new Problem('malformed_json', 'Expected one JSON object');
  const refusal = setupRefusal(error);
  if (refusal !== undefined) {
    return new Problem('temporal_not_set_up', `${refusal}. Set up Temporal: ${SETUP_COMMAND}`, {}, 5);
  }
  const cause: unknown = 'cause' in error ? error.cause : undefined;
  if ([error, cause].some(isUnavailable)) {
    return new Problem('temporal_unavailable', 'Try again; nothing was started twice', {}, 5);
  }
  const status = 'statusCode' in error ? Number(error.statusCode) : 500;
  return status >= 400 && status < 500
    ? new Problem('invalid_request', error.message)
    : new Problem('internal_error', 'The request id helps to find it in the log');
}

const isUnavailable = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && GRPC_UNAVAILABLE.includes(Number(error.code));
