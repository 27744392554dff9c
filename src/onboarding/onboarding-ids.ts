// Ids are derived from the tenant, never random, so that a repetition finds what already exists.

const PREFIX = 'onboarding/';

export const onboardingWorkflowId = (tenantId: string): string => `${PREFIX}${tenantId}`;

/** Undefined if the ID is not one of an onboarding. */
export const tenantOfWorkflow = (workflowId: string): string | undefined =>
  workflowId.startsWith(PREFIX) ? workflowId.slice(PREFIX.length) : undefined;

export const notificationsWorkflowId = (tenantId: string): string => `notifications/${tenantId}`;

/** Where the HTTP API receives the provider's webhooks for a tenant. */
export const webhookPath = (tenantId: string): string => `/webhooks/${tenantId}`;

/** In webhooks of a provider that signs nothing: the secret that sendoff has made for the tenant's webhook. */
export const WEBHOOK_SECRET_HEADER = 'x-sendoff-secret';

/** The SecretStore's references: to what the provider returns only once, and one more. */
export const apiKeyRef = (tenantId: string): string => `${PREFIX}${tenantId}/api-key`;
/** The key that sendoff keeps for itself. */
export const ownKeyRef = (tenantId: string): string => `${PREFIX}${tenantId}/own-key`;
/** The text of the first email, for a new start of an onboarding whose execution was lost. */
export const firstEmailRef = (tenantId: string): string => `${PREFIX}${tenantId}/first-email`;
export const signingSecretRef = (tenantId: string): string => `${PREFIX}${tenantId}/webhook-signing-secret`;

/**
 * @param attemptId the first Run Id: the same after a reset, so that a repeated step creates nothing new, and different after
 *   a new start
 */
export const stepIdempotencyKey = (tenantId: string, attemptId: string, step: string): string =>
  `${onboardingWorkflowId(tenantId)}/${attemptId}/${step}`;

/** Without the attempt ID, so that a new start cannot send the same email twice. */
export const emailIdempotencyKey = (tenantId: string, contentHash: string): string =>
  `${onboardingWorkflowId(tenantId)}/first-email/${contentHash}`;
