import { withDeadline } from '../../lib/timing/with-deadline.ts';
import { CannotCheck, type NamedDiagnosis, type Diagnosis, messageOf, problem, skipped } from './check.ts';
import type { Check, DoctorContext } from './doctor-context.ts';

/** Runs all checks at the same time. Never throws: the results are in the order of the checks. */
export const runChecks = (
  checks: readonly Check[],
  context: DoctorContext,
  timeoutMs: number,
): Promise<NamedDiagnosis[]> =>
  Promise.all(checks.map(async (check) => ({ name: check.name, ...(await findingOf(check, context, timeoutMs)) })));

async function findingOf({ run }: Check, context: DoctorContext, timeoutMs: number): Promise<Diagnosis> {
  try {
    return await withDeadline(timeoutMs, (signal) => Promise.race([run(context, signal), rejectionOf(signal)]));
  } catch (error) {
    if (error instanceof CannotCheck) return skipped(error.message);
    if (error instanceof DOMException && error.name === 'TimeoutError')
      return problem(`no answer within ${timeoutMs / 1_000} s`, 'Check the network and the load of both machines');
    return problem(messageOf(error), 'Unexpected: report it with this line');
  }
}

function rejectionOf(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => {
      reject(signal.reason as Error);
    });
  });
}
