/** The names of an installation in Temporal, unique so that several installations can share a Namespace. */
export interface EmailServiceNames {
  /** Workflow Tasks, domain checks and the sweep of the outbox. */
  readonly taskQueue: string;
  /** Activities that wait for mail servers and webhook receivers, so that slow ones delay only this queue. */
  readonly deliveriesTaskQueue: string;
  /** One Workflow per installation; it starts the Workflows that a process left in the outbox. */
  readonly sweepOutboxWorkflowId: string;
  /** The Schedule that removes old rows, and with the time of each run its Workflow. */
  readonly retentionScheduleId: string;
  /** @param id as the outbox has it, such as `deliver-email/eml_…`; the installation id goes after the first part */
  readonly workflowId: (id: string) => string;
}

export function emailServiceNames(installationId: string): EmailServiceNames {
  const taskQueue = `email-service/${installationId}`;
  return {
    taskQueue,
    deliveriesTaskQueue: deliveriesTaskQueueOf(taskQueue),
    sweepOutboxWorkflowId: `email-service/${installationId}/sweep-outbox`,
    retentionScheduleId: `email-service/${installationId}/retention`,
    workflowId: (id) => id.replace('/', `/${installationId}/`),
  };
}

/** A Workflow derives the other Task Queue from the one it runs on. */
export const deliveriesTaskQueueOf = (taskQueue: string): string =>
  taskQueue.replace('email-service', 'email-service-deliveries');
