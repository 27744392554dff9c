// Workflow Ids and Task Queues. Each installation has its own, so that several can share a Namespace.

/** What an installation calls its parts in Temporal. */
export interface EmailServiceNames {
  /** Workflow Tasks, domain looks and the sweep of the outbox. */
  readonly taskQueue: string;
  /** What waits for other people's mail servers and webhook receivers: when they are slow, only this queue is. */
  readonly deliveriesTaskQueue: string;
  /** One for the installation: it looks after the outbox, whichever process left a row behind. */
  readonly sweepOutboxWorkflowId: string;
  /** @param id as the outbox has it, such as `deliver-email/eml_…`; the installation goes behind the first part */
  readonly workflowId: (id: string) => string;
}

export function emailServiceNames(installationId: string): EmailServiceNames {
  const taskQueue = `email-service/${installationId}`;
  return {
    taskQueue,
    deliveriesTaskQueue: deliveriesTaskQueueOf(taskQueue),
    sweepOutboxWorkflowId: `email-service/${installationId}/sweep-outbox`,
    workflowId: (id) => id.replace('/', `/${installationId}/`),
  };
}

/** A Workflow knows the Task Queue it runs on, and finds the other one by it. */
export const deliveriesTaskQueueOf = (taskQueue: string): string =>
  taskQueue.replace('email-service', 'email-service-deliveries');

export const verifyDomainId = (domainId: string): string => `verify-domain/${domainId}`;
export const deliverEmailId = (emailId: string): string => `deliver-email/${emailId}`;
export const deliverWebhookId = (eventId: string, webhookId: string): string =>
  `deliver-webhook/${eventId}/${webhookId}`;
