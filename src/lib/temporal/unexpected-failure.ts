// Leaf library: what the Event History keeps of an unexpected error.
import type { ApplicationFailure } from '@temporalio/common';
import { expectedFailure } from '../expected-failure.ts';

/**
 * The message and stack of an unexpected error may hold a secret, and the Event History keeps both: it gets the error's name and
 * code, the log gets the rest. Retried, so that the next deployment fixes it.
 */
export function unexpectedFailure(error: unknown, activityType: string): ApplicationFailure {
  return expectedFailure({
    type: 'UnexpectedError',
    message: `${activityType} failed unexpectedly with ${nameOf(error)}; the Worker's log has the details`,
  });
}

function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return 'a value that is not an Error';
  return 'code' in error && typeof error.code === 'string' ? `${error.name} (${error.code})` : error.name;
}
