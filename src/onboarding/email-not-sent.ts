/** Failure type of a first email that was not sent, because the onboarding was cancelled before it. */
export const EMAIL_NOT_SENT = 'EmailNotSent';
