// What the webhooks of an operator's account report.
import type { FailureDetails } from './failures.ts';

/** `deferred` is not final. `other` is not stored: an email that was opened, a word that is new. */
export type ProviderEventType = 'accepted' | 'delivered' | 'bounced' | 'suppressed' | 'deferred' | 'domain' | 'other';

export type Bounce = Omit<FailureDetails['EmailBounced'], 'emailId' | 'recipient'>;

export interface ProviderEvent {
  /** The same each time that the provider posts the event. */
  readonly eventId: string;
  readonly type: ProviderEventType;
  /** By the provider's clock, RFC 3339 UTC. */
  readonly at: string;
  readonly emailId?: string | undefined;
  /** The tag that sendoff has set on the email (`activities/onboarding/operator-accounts.ts`). */
  readonly intentId?: string | undefined;
  readonly domainId?: string | undefined;
  /** Why an email has `bounced` or was `suppressed`. */
  readonly bounce?: Bounce | undefined;
}

interface RawWebhook {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The bytes as they arrived. */
  readonly body: Buffer;
}

/** Resolves with the events of one request, which may have several or none; undefined unless it comes from the provider. */
export type WebhookReader = (webhook: RawWebhook) => Promise<readonly ProviderEvent[] | undefined>;
