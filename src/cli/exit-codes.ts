import type { CheckResult } from '../agents-md/check-result.ts';
import type { OnboardingView } from '../client/onboarding/onboarding-view.ts';
import { failures, type FailureType, failureTypes } from '../onboarding/failures.ts';

/** Exit codes of every command; `usage`: the command line is invalid. 130 and 143 stand for SIGINT and SIGTERM. */
export const ExitCode = { done: 0, failed: 1, usage: 2 } as const;

/** How an onboarding ended without success: one code per failure type, none of them in `ExitCode`. */
export const onboardingExitCodes = {
  ...(Object.fromEntries(failureTypes.map((type) => [type, failures[type].exitCode])) as Record<FailureType, number>),
  cancelled: 17,
  terminated: 18,
};

/** Exit codes of `sendoff check-now`; with `--all`, 0 says that every check was carried out. */
export const checkNowExitCodes = { verified: 0, failed: 1, notVerified: 20, begun: 21 } as const;

/**
 * Exit codes of `sendoff agents-md …`. 1 and 2 are outcomes there, so an error, such as an unknown flag, has another code: it must
 * not look like a missing file.
 */
export const agentsMdExitCodes = {
  pass: 0,
  partial: 1,
  fail: 2,
  inconclusive: 3,
  notCarriedOut: 4,
} as const satisfies Record<NonNullable<CheckResult['outcome']> | 'inconclusive' | 'notCarriedOut', number>;

/** A check without a status was terminated and left no result. */
export const checkExitCode = ({
  status,
  outcome,
}: {
  readonly status: CheckResult['status'] | null;
  readonly outcome: CheckResult['outcome'];
}): number => agentsMdExitCodes[outcome ?? (status === null ? 'notCarriedOut' : 'inconclusive')];

/**
 * Exit code of a failed command.
 *
 * @param group the first word of the command line
 */
export const errorExitCode = (group: string | undefined, kind: 'failed' | 'usage'): number =>
  group === 'agents-md' ? agentsMdExitCodes.notCarriedOut : ExitCode[kind];

/** 0 while the onboarding is running and after its success. */
export function onboardingExitCode({ outcome, failure }: Pick<OnboardingView, 'outcome' | 'failure'>): number {
  switch (outcome) {
    case 'running':
    case 'onboarded':
      return ExitCode.done;
    case 'cancelled':
    case 'terminated':
      return onboardingExitCodes[outcome];
    case 'failed':
      // Without a typed failure, the execution was failed by something other than its Workflow code.
      return failure === null ? ExitCode.failed : onboardingExitCodes[failure.type];
  }
}
