import type { OnboardingFailure } from './failures.ts';
import type { Bounce } from './provider-event.ts';

/** The email whose bounce a failure does not explain; undefined if it does, or is about no email. */
export const unexplainedEmail = (failure: OnboardingFailure | null): string | undefined =>
  failure?.type === 'EmailBounced' && failure.details.category === 'unknown' && failure.details.diagnostic === null
    ? (failure.details.emailId ?? undefined)
    : undefined;

export const bouncedMessage = (recipient: string, { reason }: Pick<Bounce, 'reason'>): string =>
  `The email to ${recipient} bounced: ${reason}`;

export const explainedBy = (failure: OnboardingFailure, bounce: Bounce): OnboardingFailure =>
  failure.type === 'EmailBounced'
    ? {
        ...failure,
        message: bouncedMessage(failure.details.recipient, bounce),
        details: { ...failure.details, ...bounce },
      }
    : failure;
