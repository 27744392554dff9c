import { type ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import { expectedFailure } from '../expected-failure.ts';

/** The server keeps 4 KB of a pending Activity's last failure. */
const MESSAGE_LENGTH_MAX = 1_500;

/**
 * The expected failure of an Activity that the server retries until there is an answer. BENIGN keeps it out of error logs
 * and failure metrics.
 *
 * @param message what operators read under Pending Activities; without secrets
 */
export const notYet = (type: string, message: string, nextRetryDelay: number): ApplicationFailure =>
  expectedFailure({
    type,
    message: message.slice(0, MESSAGE_LENGTH_MAX),
    category: ApplicationFailureCategory.BENIGN,
    nextRetryDelay,
  });
