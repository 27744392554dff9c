import { createRemoveExpired, type ApplyRetentionDependencies } from './apply-retention.ts';
import { createAttemptDelivery, type AttemptDeliveryDependencies } from './attempt-delivery.ts';
import { createCheckDomain, type CheckDomainDependencies } from './check-domain.ts';
import { createPostWebhook, type PostWebhookDependencies } from './post-webhook.ts';
import { createStartLeftBehind, type StartLeftBehindDependencies } from './start-left-behind.ts';

export type ActivityDependencies = AttemptDeliveryDependencies &
  CheckDomainDependencies &
  PostWebhookDependencies &
  StartLeftBehindDependencies &
  ApplyRetentionDependencies;

export const createActivities = (dependencies: ActivityDependencies) => ({
  checkDomain: createCheckDomain(dependencies),
  attemptDelivery: createAttemptDelivery(dependencies),
  postWebhook: createPostWebhook(dependencies),
  startLeftBehind: createStartLeftBehind(dependencies),
  removeExpired: createRemoveExpired(dependencies),
});

export type Activities = ReturnType<typeof createActivities>;
