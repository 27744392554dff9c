import { ApplicationFailure } from '@temporalio/common';

/** What an Activity throws. Rejects if it succeeds, or throws anything else. */
export async function failureOf(running: Promise<unknown>): Promise<ApplicationFailure> {
  const error: unknown = await running.then(
    (outcome) => new Error(`succeeded with ${JSON.stringify(outcome)}`),
    (reason: unknown) => reason,
  );
  if (error instanceof ApplicationFailure) return error;
  throw error;
}
