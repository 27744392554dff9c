import type { Context } from '@temporalio/activity';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { withoutStack } from '../../lib/without-stack.ts';
import type { ActivityInterceptors } from '@temporalio/worker';
import type { Logger } from 'pino';

/**
 * The message of an unexpected error may contain a secret, and failures enter the Event History. So the history gets only
 * its name and code, and the log the rest. Failures that Activities throw on purpose pass unchanged.
 */
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
          throw withoutStack(
            ApplicationFailure.create({
              type: 'UnexpectedError',
              message: `${activityType} failed unexpectedly with ${nameOf(error)}. See the log of the email service.`,
            }),
          );
        }
      },
    },
  });

function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return 'a value that is not an Error';
  return 'code' in error && typeof error.code === 'string' ? `${error.name} (${error.code})` : error.name;
}
