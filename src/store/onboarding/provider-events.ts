import type { Bounce, ProviderEvent } from '../../onboarding/provider-event.ts';
import type { ProviderName } from '../../onboarding/provider-name.ts';

/** An event about what an onboarding has created. */
export interface TenantEvent {
  readonly tenantId: string;
  readonly eventId: string;
  readonly type: string;
}

/** An email as its events report it. */
export interface ReportedEmail {
  readonly id: string;
  /** `delivered` and `bounced` are final; the latest final event decides, whatever the order of arrival. */
  readonly status: string;
  readonly deliveredAt: string | null;
  readonly bounce: Bounce | null;
  readonly lastAttempt: string | null;
}

/** What the webhooks of an operator's account have reported. */
export interface ProviderEvents {
  /** Keeps those about what an onboarding has created, each once, and returns them, also those that it had. Forgets the others. */
  store(provider: ProviderName, events: readonly ProviderEvent[]): Promise<readonly TenantEvent[]>;
  /** Undefined without an event about this email. */
  email(provider: ProviderName, emailId: string): Promise<ReportedEmail | undefined>;
  /** The id of an email that the provider has accepted, although its answer may be lost; undefined if no event names it. */
  emailIdOf(provider: ProviderName, intentId: string): Promise<string | undefined>;
}
