import { cancellationSignal } from '@temporalio/activity';
import { withDeadline } from '../../lib/timing/with-deadline.ts';

/** A call that the step can do without: one attempt, limited in time. Undefined if it fails; the end of the attempt itself is still thrown. */
export async function optionalCall<Result>(
  timeoutMs: number,
  call: (signal: AbortSignal) => Promise<Result>,
): Promise<Result | undefined> {
  const attempt = cancellationSignal();
  try {
    return await withDeadline(timeoutMs, call, attempt);
  } catch (error) {
    // An attempt that is over must not record that its step succeeded.
    if (attempt.aborted) throw error;
    return undefined;
  }
}
