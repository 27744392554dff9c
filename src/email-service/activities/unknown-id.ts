import { ApplicationFailure } from '@temporalio/common';
import { withoutStack } from '../../lib/without-stack.ts';

const RETRY_MS = 60_000;

/**
 * A Workflow's resource is missing if the database was replaced or restored from an older backup. Ending the Workflow would
 * lose the work, so it is retried, and operators see this sentence on the pending Activity.
 * @param what such as `email`
 */
export function unknownId(what: string, id: string): ApplicationFailure {
  return withoutStack(
    ApplicationFailure.create({
      type: 'UnknownId',
      message: `This email service's database has no ${what} ${id}. Check that EMAIL_SERVICE_DATABASE_URL points to the database that accepted it; terminate the Workflow if that database is gone.`,
      nextRetryDelay: RETRY_MS,
    }),
  );
}
