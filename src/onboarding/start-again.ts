export const restartCommand = (tenantId: string): string => `sendoff restart ${tenantId} --subject TEXT --body TEXT`;

/** How to go on after an end; a Reset of an ended onboarding changes nothing. */
export const startAgain = (tenantId: string): string =>
  `To start again, use PUT /onboardings/${tenantId} or ${restartCommand(tenantId)}; do not reset this Workflow`;
