// Ids come from the business, never from chance, so that doing something again meets what is already there.

const PREFIX = 'onboarding/';

export const onboardingWorkflowId = (tenantId: string): string => `${PREFIX}${tenantId}`;

/** The path of the HTTP API at which the provider's webhooks for a tenant arrive. */
export const webhookPath = (tenantId: string): string => `/webhooks/${tenantId}`;

/** Where the SecretStore keeps what the provider shows only once. */
export const apiKeyRef = (tenantId: string): string => `${PREFIX}${tenantId}/api-key`;
export const signingSecretRef = (tenantId: string): string => `${PREFIX}${tenantId}/webhook-signing-secret`;

/**
 * @param attemptId changes when a failed onboarding is started again, and survives a reset of the Workflow (its first
 *   Run Id): a new start creates anew, a repeated step does not.
 */
export const stepIdempotencyKey = (tenantId: string, attemptId: string, step: string): string =>
  `${onboardingWorkflowId(tenantId)}/${attemptId}/${step}`;

/** Without the run, so that starting a failed onboarding again cannot send the same email twice. */
export const emailIdempotencyKey = (tenantId: string, contentHash: string): string =>
  `${onboardingWorkflowId(tenantId)}/first-email/${contentHash}`;
