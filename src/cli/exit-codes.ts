import type { CheckResult } from '../agents-md/check-result.ts';
import type { OnboardingView } from '../client/onboardings.ts';
import type { FailureType } from '../onboarding/failures.ts';

/**
 * What every command ends with. `failed`: something is wrong with the set-up or with what was asked for; `usage`: the
 * command line cannot be understood. 130 and 143 are those of SIGINT and SIGTERM.
 */
export const ExitCode = { done: 0, failed: 1, usage: 2 } as const;

/** How an onboarding came to a bad end, for scripts: one code per failure type, and never one of `ExitCode`. */
export const onboardingExitCodes = {
  DomainVerificationTimedOut: 10,
  DomainNotVerified: 11,
  EmailBounced: 12,
  ProviderRejected: 13,
  ProviderUnavailable: 14,
  DeliveryUnconfirmed: 15,
  InvalidInput: 16,
  cancelled: 17,
  terminated: 18,
} as const satisfies Record<FailureType | 'cancelled' | 'terminated', number>;

/**
 * What `sendoff agents-md …` ends with. 1 and 2 are outcomes there, so whatever keeps one of these commands from being
 * carried out has a code of its own: a misspelt flag must not pass for a missing file.
 */
export const agentsMdExitCodes = {
  pass: 0,
  partial: 1,
  fail: 2,
  inconclusive: 3,
  notCarriedOut: 4,
} as const satisfies Record<NonNullable<CheckResult['outcome']> | 'inconclusive' | 'notCarriedOut', number>;

/** A check without a status was ended from outside, and left no result. */
export const checkExitCode = ({
  status,
  outcome,
}: {
  readonly status: CheckResult['status'] | null;
  readonly outcome: CheckResult['outcome'];
}): number => agentsMdExitCodes[outcome ?? (status === null ? 'notCarriedOut' : 'inconclusive')];

/**
 * For a command that could not be carried out.
 *
 * @param group the first word of the command line
 */
export const errorExitCode = (group: string | undefined, kind: 'failed' | 'usage'): number =>
  group === 'agents-md' ? agentsMdExitCodes.notCarriedOut : ExitCode[kind];

/** 0 while it runs and when it succeeded. */
export function onboardingExitCode({ outcome, failure }: Pick<OnboardingView, 'outcome' | 'failure'>): number {
  switch (outcome) {
    case 'running':
    case 'onboarded':
      return ExitCode.done;
    case 'cancelled':
    case 'terminated':
      return onboardingExitCodes[outcome];
    case 'failed':
      // Without a typed failure it was failed by something else than its own code.
      return failure === null ? ExitCode.failed : onboardingExitCodes[failure.type];
  }
}
