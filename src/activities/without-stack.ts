import type { ApplicationFailure } from '@temporalio/common';

/** For what was foreseen: the Temporal UI prints the stack under every attempt, and it would only show file paths. */
export function withoutStack(failure: ApplicationFailure): ApplicationFailure {
  failure.stack = '';
  return failure;
}
