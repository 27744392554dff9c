/** How to go on after an end; a Reset of an ended onboarding changes nothing. */
export const startAgain = (tenantId: string): string =>
  `To start again, use PUT /onboardings/${tenantId} or sendoff onboard; do not reset this Workflow`;
