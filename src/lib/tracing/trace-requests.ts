import { context, propagation, ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isTracing, tracer } from './tracing.ts';

/** Asked every few seconds, by who does not want a trace. */
const UNTRACED: ReadonlySet<string | undefined> = new Set(['/livez', '/readyz']);

/** A span for each request. Only one with a credential goes on with the trace of its caller (W3C Trace Context). */
export function traceRequests(app: FastifyInstance): void {
  if (!isTracing()) return;
  const spans = new WeakMap<FastifyRequest, Span>();
  app.addHook('onRequest', (request, _, done) => {
    const { url: route } = request.routeOptions;
    if (UNTRACED.has(route)) {
      done();
      return;
    }
    const isKnown = request.headers.authorization !== undefined;
    const caller = isKnown ? propagation.extract(ROOT_CONTEXT, request.headers) : ROOT_CONTEXT;
    const attributes = {
      'http.request.method': request.method,
      // The path may have the token of a setup page.
      ...(route !== undefined && { 'http.route': route }),
      'sendoff.request_id': request.id,
    };
    const span = tracer.startSpan(
      route === undefined ? request.method : `${request.method} ${route}`,
      { kind: SpanKind.SERVER, attributes },
      caller,
    );
    spans.set(request, span);
    context.with(trace.setSpan(caller, span), done);
  });
  app.addHook('onResponse', (request, reply, done) => {
    const span = spans.get(request);
    span?.setAttribute('http.response.status_code', reply.statusCode);
    if (reply.statusCode >= 500) span?.setStatus({ code: SpanStatusCode.ERROR });
    span?.end();
    done();
  });
}
