import { createAttemptDelivery, type AttemptDeliveryDependencies } from './attempt-delivery.ts';
import { createCheckDomain, type CheckDomainDependencies } from './check-domain.ts';
import { createPostWebhook, type PostWebhookDependencies } from './post-webhook.ts';
import { createStartLeftBehind } from './start-left-behind.ts';
import type { OutboxDispatcher } from '../outbox-dispatcher.ts';

export type ActivityDependencies = AttemptDeliveryDependencies &
  CheckDomainDependencies &
  PostWebhookDependencies & { readonly dispatcher: OutboxDispatcher };

export const createActivities = (dependencies: ActivityDependencies) => ({
  checkDomain: createCheckDomain(dependencies),
  attemptDelivery: createAttemptDelivery(dependencies),
  postWebhook: createPostWebhook(dependencies),
  startLeftBehind: createStartLeftBehind(dependencies),
});

export type Activities = ReturnType<typeof createActivities>;
