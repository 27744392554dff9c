import type { OnboardingView } from '../http/onboardings.ts';
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
