/** Every event type an account can be told of, and when it is. */
export const EventType = {
  emailDelivered: 'email.delivered',
  emailBounced: 'email.bounced',
  emailDeferred: 'email.deferred',
  domainVerified: 'domain.verified',
} as const;

export type EventType = (typeof EventType)[keyof typeof EventType];
