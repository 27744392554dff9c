import { ApplicationFailure, type ApplicationFailureOptions } from '@temporalio/common';

/** Without a stack: the Temporal UI prints that of every attempt, and it would show only file paths. */
export function expectedFailure(options: ApplicationFailureOptions): ApplicationFailure {
  const failure = ApplicationFailure.create(options);
  failure.stack = '';
  return failure;
}
