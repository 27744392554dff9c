import type { ApplicationFailure } from '@temporalio/common';
import { expectedFailure } from '../../lib/expected-failure.ts';
import type { AttemptContext } from './attempt-context.ts';

const RETRY_MS = 60_000;
/** From its start: an email expires within 7 days, and a webhook delivery ends within 75 hours and an outage of the Workers. */
const WORK_LASTS_MS = 8 * 86_400_000;

/**
 * Whether nothing is left to do about a missing email or event, because the retention has removed it. The age of its id does not say so:
 * a scheduled email leaves a month after it was accepted.
 */
export const isPastRetention = ({ waitedMs }: Pick<AttemptContext, 'waitedMs'>): boolean => waitedMs > WORK_LASTS_MS;

/**
 * A Workflow's resource is missing before its time if the database was replaced or restored from an older backup. Ending the Workflow would
 * lose the work, so it is retried, and operators see this sentence on the pending Activity.
 * @param what such as `email`
 */
export function unknownId(what: string, id: string): ApplicationFailure {
  return expectedFailure({
    type: 'UnknownId',
    message: `This email service's database has no ${what} ${id}. Check that EMAIL_SERVICE_DATABASE_URL points to the database that accepted it; terminate the Workflow if that database is gone.`,
    nextRetryDelay: RETRY_MS,
  });
}
