/** Where the email service's Workers take their work from. */
export const EMAIL_SERVICE_TASK_QUEUE = 'email-service';

/** One for the whole service: it looks after the outbox, whoever left a row behind. */
export const SWEEP_OUTBOX_WORKFLOW_ID = 'email-service/sweep-outbox';

export const verifyDomainWorkflowId = (domainId: string): string => `verify-domain/${domainId}`;
export const deliverEmailWorkflowId = (emailId: string): string => `deliver-email/${emailId}`;
export const deliverWebhookWorkflowId = (eventId: string, webhookId: string): string =>
  `deliver-webhook/${eventId}/${webhookId}`;
