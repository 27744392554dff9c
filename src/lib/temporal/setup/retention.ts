/** An onboarding waits up to three days; its end stays readable for another week. */
export const RETENTION_DAYS_DEFAULT = 10;
