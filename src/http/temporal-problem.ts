import { OnboardingUnavailable } from '../client/onboarding/onboarding-unavailable.ts';
import { ProblemError } from '../lib/http/problem.ts';
import { unavailable } from '../lib/http/problem-replies.ts';
import { SETUP_COMMAND } from '../lib/temporal/setup/setup-gap.ts';
import { setupRefusal } from '../lib/temporal/setup/setup-refusal.ts';

/** CANCELLED is how a call ends whose server dies during it. */
const GRPC_UNAVAILABLE = [1, 4, 14];

/** The answer to an error of the Temporal Client, or of a request that Temporal cannot serve; undefined when it is unexpected. */
export function temporalProblem(error: Error): ProblemError | undefined {
  if (error instanceof OnboardingUnavailable) return unavailable(error.message);
  const refusal = setupRefusal(error);
  if (refusal !== undefined) {
    const detail = `${refusal}. Set up Temporal: ${SETUP_COMMAND}`;
    return new ProblemError('temporal_not_set_up', detail, { retryAfterSeconds: 5 });
  }
  return isTemporalUnreachable(error)
    ? unavailable('Temporal cannot be reached; repeating the request starts nothing twice.')
    : undefined;
}

export const isTemporalUnreachable = (error: unknown): boolean =>
  error instanceof Error && [error, error.cause].some(isUnavailable);

const isUnavailable = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && GRPC_UNAVAILABLE.includes(Number(error.code));
