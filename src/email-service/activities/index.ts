import { createRemoveExpired, type ApplyRetentionDependencies } from './apply-retention.ts';
import { createAttemptDelivery, type AttemptDeliveryDependencies } from './attempt-delivery.ts';
import { asActivity } from './attempt-context.ts';
import { createCheckDomain, type CheckDomainDependencies } from './check-domain.ts';
import { createPostWebhook, type PostWebhookDependencies } from './post-webhook.ts';
import { createStartLeftBehind, type StartLeftBehindDependencies } from './start-left-behind.ts';

export type AttemptDependencies = AttemptDeliveryDependencies & CheckDomainDependencies & PostWebhookDependencies;

/** The attempts that Workflows repeat until one succeeds, by Workflow Type. A process has one set, which knows what is under way. */
export const createAttempts = (dependencies: AttemptDependencies) => ({
  verifyDomain: createCheckDomain(dependencies),
  deliverEmail: createAttemptDelivery(dependencies),
  deliverWebhook: createPostWebhook(dependencies),
});

export type Attempts = ReturnType<typeof createAttempts>;

export type ActivityDependencies = StartLeftBehindDependencies & ApplyRetentionDependencies;

export const createActivities = (attempts: Attempts, dependencies: ActivityDependencies) => ({
  checkDomain: asActivity(attempts.verifyDomain),
  attemptDelivery: asActivity(attempts.deliverEmail),
  postWebhook: asActivity(attempts.deliverWebhook),
  startLeftBehind: createStartLeftBehind(dependencies),
  removeExpired: createRemoveExpired(dependencies),
});

export type Activities = ReturnType<typeof createActivities>;
