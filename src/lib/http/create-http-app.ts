import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import fastify, { type FastifyBaseLogger, type FastifyInstance, type RawServerDefault } from 'fastify';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { httpLimits } from './http-limits.ts';
import { withLoggedRequests } from './logged-request.ts';
import { traceRequests } from '../tracing/trace-requests.ts';
import { measureRequests } from './measure-requests.ts';
import {
  answerWithProblems,
  newRequestId,
  type ProblemOptions,
  replyBeforeRouting,
  replyToBrokenConnection,
} from './problem-replies.ts';
import { hangUpDuringShutdown } from './shut-down.ts';

/** Fastify with requests and answers typed by their TypeBox schemas. */
export type HttpApp = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

export interface HttpAppOptions extends ProblemOptions {
  readonly logger: FastifyBaseLogger | undefined;
  /** The part of a request's path that the log shows. @default all of it */
  readonly loggedPath?: (path: string) => string;
  readonly bodyLimit: number;
  /** Characters of a path parameter, percent-encoded. @default 100 */
  readonly maxParamLength?: number;
}

export function createHttpApp({
  logger,
  loggedPath = (path) => path,
  bodyLimit,
  maxParamLength = 100,
  ...problems
}: HttpAppOptions): HttpApp {
  const app = fastify({
    ...(logger === undefined ? {} : { loggerInstance: withLoggedRequests(logger, loggedPath) }),
    bodyLimit,
    routerOptions: { maxParamLength },
    ...httpLimits,
    genReqId: newRequestId,
    // Requests that arrive while closing are still answered; Fastify's own 503 is not problem+json.
    return503OnClosing: false,
    frameworkErrors: replyBeforeRouting,
    clientErrorHandler: replyToBrokenConnection,
    // Strict: unknown fields and other types are errors, and all errors of a body are reported together.
    ajv: {
      customOptions: {
        coerceTypes: false,
        removeAdditional: false,
        useDefaults: false,
        allErrors: true,
        verbose: true,
        // A text, or a list of texts.
        allowUnionTypes: true,
      },
    },
  }).withTypeProvider<TypeBoxTypeProvider>();
  answerWithProblems(app, problems);
  hangUpDuringShutdown(app);
  traceRequests(app);
  measureRequests(app);
  return app;
}
