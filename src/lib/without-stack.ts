/** For expected failures: the Temporal UI prints the stack of every attempt, and it would show only file paths. */
export function withoutStack<Failure extends Error>(failure: Failure): Failure {
  failure.stack = '';
  return failure;
}
