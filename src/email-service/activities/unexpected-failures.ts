import type { Context } from '@temporalio/activity';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import type { ActivityInterceptors } from '@temporalio/worker';
import type { Logger } from 'pino';
import { unexpectedFailure } from '../../lib/temporal/unexpected-failure.ts';

/** Logs an unexpected error and keeps its text out of the Event History. Failures that Activities throw pass unchanged. */
export const unexpectedFailures =
  (logger: Logger) =>
  (context: Context): ActivityInterceptors => ({
    inbound: {
      async execute(input, next) {
        try {
          return await next(input);
        } catch (error) {
          if (error instanceof ApplicationFailure || error instanceof CancelledFailure) throw error;
          const { activityType, workflowExecution, attempt } = context.info;
          logger.error(
            { err: error, activityType, workflowId: workflowExecution?.workflowId, attempt },
            'unexpected error',
          );
          throw unexpectedFailure(error, activityType);
        }
      },
    },
  });
