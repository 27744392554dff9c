// Traces by OpenTelemetry. What makes spans uses its API, which does nothing until `startTracing` has loaded the rest.
import { context, diag, DiagLogLevel, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Logger } from 'pino';
import { settlesWithin } from '../timing/settles-within.ts';
import { withoutSecrets } from '../without-secrets.ts';

export interface TracingOptions {
  /** `service.name`, unless OTEL_SERVICE_NAME is set. */
  readonly service: string;
  /** `service.version`. */
  readonly version: string;
  /** The URL of the collector, from OTEL_EXPORTER_OTLP_ENDPOINT; undefined: nothing is traced. */
  readonly endpoint: string | undefined;
  readonly logger: Logger;
}

/** Spans that cannot be delivered are dropped, and a program does not wait longer for them when it ends. */
const LAST_SPANS_MS = 2_000;
/** Characters of an attribute. */
const VALUE_LENGTH_MAX = 500;

export const tracer = trace.getTracer('sendoff');

let end: (() => Promise<void>) | undefined;

export const isTracing = (): boolean => end !== undefined;

/** Call it once in a process, before an HTTP app or a Worker is made. Spans go by OTLP over HTTP, as Protobuf, in batches. */
export async function startTracing({ service, version, endpoint, logger }: TracingOptions): Promise<void> {
  if (endpoint === undefined) return;
  const [{ BasicTracerProvider, BatchSpanProcessor }, { OTLPTraceExporter }, hooks, resources, core] =
    await Promise.all([
      import('@opentelemetry/sdk-trace-base'),
      import('@opentelemetry/exporter-trace-otlp-proto'),
      import('@opentelemetry/context-async-hooks'),
      import('@opentelemetry/resources'),
      import('@opentelemetry/core'),
    ]);
  const warn = (message: string, ...rest: unknown[]): void => {
    logger.warn({ program: 'opentelemetry' }, withoutSecrets([message, ...rest.map(String)].join(' ')));
  };
  diag.setLogger(
    { error: warn, warn, info: () => undefined, debug: () => undefined, verbose: () => undefined },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
  const own = resources.resourceFromAttributes({ 'service.name': service, 'service.version': version });
  const provider = new BasicTracerProvider({
    resource: own.merge(resources.detectResources({ detectors: [resources.envDetector] })),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
    spanLimits: { attributeValueLengthLimit: VALUE_LENGTH_MAX },
  });
  context.setGlobalContextManager(new hooks.AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new core.W3CTraceContextPropagator());
  trace.setGlobalTracerProvider(provider);
  end = async () => {
    await settlesWithin(LAST_SPANS_MS, provider.shutdown()).catch(() => undefined);
  };
}

/** Sends what is left. */
export const stopTracing = (): Promise<void> => end?.() ?? Promise.resolve();

/** A call of another service in a span of its own, if what calls it has one. One that returns no promise is none. */
export function inSpan<Result>(name: string, run: () => Result): Result {
  if (trace.getActiveSpan() === undefined) return run();
  return tracer.startActiveSpan(name, { kind: SpanKind.CLIENT }, (span) => {
    const result = run();
    if (result instanceof Promise)
      void result.then(
        () => {
          span.end();
        },
        (error: unknown) => {
          span.setAttribute('error.type', error instanceof Error ? error.name : 'unknown');
          span.setStatus({ code: SpanStatusCode.ERROR });
          span.end();
        },
      );
    return result;
  });
}

/** For each line of the log: which span it belongs to. */
export function spanOfLine(): { readonly trace_id?: string; readonly span_id?: string } {
  const span = trace.getActiveSpan()?.spanContext();
  return span === undefined ? {} : { trace_id: span.traceId, span_id: span.spanId };
}
