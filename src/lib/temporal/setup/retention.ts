/** An onboarding waits three days; its end stays readable for a week after that. */
export const RETENTION_DAYS_DEFAULT = 10;
