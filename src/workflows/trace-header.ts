// Copies the header with the trace from the input of a Workflow to what it starts (lib/tracing/trace-temporal.ts). Always part of the bundle, and without a
// promise: whether something is traced changes no Workflow.
import type { Headers, WorkflowInterceptorsFactory } from '@temporalio/workflow';
import { TRACE_HEADER } from '../lib/tracing/trace-header.ts';

export const interceptors: WorkflowInterceptorsFactory = () => {
  let traced: Headers = {};
  const withTrace = <Input extends { readonly headers: Headers }>(input: Input): Input =>
    traced[TRACE_HEADER] === undefined ? input : { ...input, headers: { ...input.headers, ...traced } };
  return {
    inbound: [
      {
        execute(input, next) {
          const header = input.headers[TRACE_HEADER];
          if (header !== undefined) traced = { [TRACE_HEADER]: header };
          return next(input);
        },
      },
    ],
    outbound: [
      {
        scheduleActivity: (input, next) => next(withTrace(input)),
        scheduleLocalActivity: (input, next) => next(withTrace(input)),
        startChildWorkflowExecution: (input, next) => next(withTrace(input)),
        continueAsNew: (input, next) => next(withTrace(input)),
      },
    ],
  };
};
