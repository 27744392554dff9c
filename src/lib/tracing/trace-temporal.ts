// A Workflow begins with the trace of the request that started it, in a header of its input, from where `workflows/trace-header.ts` copies it to what
// the Workflow starts.
import { context, propagation, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { WorkflowClientInterceptor } from '@temporalio/client';
import {
  ApplicationFailure,
  ApplicationFailureCategory,
  defaultPayloadConverter,
  type Headers,
} from '@temporalio/common';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { TRACE_HEADER } from './trace-header.ts';
import { isTracing, tracer } from './tracing.ts';

/** Of a Client whose Workflows are started by requests. */
export const tracedStarts: WorkflowClientInterceptor = {
  startWithDetails: (input, next) => next({ ...input, headers: withTrace(input.headers) }),
  signalWithStart: (input, next) => next({ ...input, headers: withTrace(input.headers) }),
};

function withTrace(headers: Headers): Headers {
  const carrier: Record<string, string> = {};
  propagation.inject(context.active(), carrier);
  return Object.keys(carrier).length === 0
    ? headers
    : { ...headers, [TRACE_HEADER]: defaultPayloadConverter.toPayload(carrier) };
}

/** A span for each attempt of an Activity whose Workflow belongs to a trace. */
export const tracedActivities: ActivityInterceptorsFactory = ({ info }) =>
  isTracing()
    ? {
        inbound: {
          execute(input, next) {
            const header = input.headers[TRACE_HEADER];
            if (header === undefined) return next(input);
            const started = propagation.extract(ROOT_CONTEXT, carrierOf(header));
            if (trace.getSpanContext(started) === undefined) return next(input);
            const { workflowExecution, activityType, attempt, taskQueue } = info;
            const attributes = {
              workflowId: workflowExecution?.workflowId ?? '',
              runId: workflowExecution?.runId ?? '',
              attempt,
              taskQueue,
            };
            return tracer.startActiveSpan(
              activityType,
              { kind: SpanKind.CONSUMER, attributes },
              started,
              async (span) => {
                try {
                  return await next(input);
                } catch (error) {
                  // Its message may have addresses of a tenant; the log has it, with the ID of the trace.
                  const failure = error instanceof ApplicationFailure ? error : undefined;
                  span.setAttribute('error.type', failure?.type ?? (error instanceof Error ? error.name : 'unknown'));
                  if (failure?.category !== ApplicationFailureCategory.BENIGN)
                    span.setStatus({ code: SpanStatusCode.ERROR });
                  throw error;
                } finally {
                  span.end();
                }
              },
            );
          },
        },
      }
    : {};

/** Anybody who may start a Workflow can send one. */
function carrierOf(header: Headers[string]): object {
  try {
    const carrier: unknown = defaultPayloadConverter.fromPayload(header);
    return typeof carrier === 'object' && carrier !== null ? carrier : {};
  } catch {
    return {};
  }
}
