/** Workflow Tasks, domain looks and the sweep of the outbox. */
export const EMAIL_SERVICE_TASK_QUEUE = 'email-service';

/** What waits for other people's mail servers and webhook receivers: when they are slow, only this queue is. */
export const DELIVERIES_TASK_QUEUE = 'email-service-deliveries';

/** One for the whole service: it looks after the outbox, whoever left a row behind. */
export const SWEEP_OUTBOX_WORKFLOW_ID = 'email-service/sweep-outbox';

export const verifyDomainWorkflowId = (domainId: string): string => `verify-domain/${domainId}`;
export const deliverEmailWorkflowId = (emailId: string): string => `deliver-email/${emailId}`;
export const deliverWebhookWorkflowId = (eventId: string, webhookId: string): string =>
  `deliver-webhook/${eventId}/${webhookId}`;
