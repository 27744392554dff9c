// The port to any provider of the email API. Every call throws ProviderError (an error answer) or ProviderUnreachable (no usable
// answer).
import type { DnsRecord, RecordFinding } from '../onboarding/dns-record.ts';
import type { Bounce } from '../onboarding/provider-event.ts';

export interface ProviderCallOptions {
  /** Aborts the request when the Activity is cancelled or timed out. */
  readonly signal?: AbortSignal;
}
export interface CreateOptions extends ProviderCallOptions {
  /** The same key never creates twice; a repeated call gets the first answer. */
  readonly idempotencyKey: string;
  /** How long the provider may wait for an outcome that its answer then has (RFC 7240); a provider may ignore it. */
  readonly waitSeconds?: number;
}

/** A record as the provider reports it: a field that it does not report is absent. */
export interface ProviderRecord
  extends
    Readonly<Pick<DnsRecord, 'purpose' | 'type' | 'name' | 'value' | 'required'>>,
    Readonly<Partial<Pick<DnsRecord, 'host' | 'zone' | 'nameServers' | 'status'>>> {
  /** The values at the name. */
  readonly found?: readonly string[];
  readonly findings: readonly (RecordFinding & { readonly found: readonly string[] })[];
}

export interface ProviderDomain {
  readonly id: string;
  /** Absent if the provider leaves it out. */
  readonly name?: string;
  /** The specification defines only `verified`. */
  readonly status: string;
  readonly records: readonly ProviderRecord[];
  /** RFC 3339: when the provider last checked the records; absent if it does not report that. */
  readonly lastCheckedAt?: string;
}

export interface ProviderEmail {
  readonly id: string;
  /** `delivered` and `bounced` are final. */
  readonly status: string;
  readonly deliveredAt: string | null;
  readonly bounce: Bounce | null;
  /** The result of the latest delivery attempt, as text. */
  readonly lastAttempt: string | null;
}

export interface EmailProvider {
  /**
   * `token` is absent if a repeated call comes too late for the provider to show it again, and `scopes` if the provider has none.
   *
   * @param request.scopes what the key may do; every key may do everything at a provider that shows none
   */
  createApiKey(
    request: { account: string; name: string; scopes?: readonly string[] },
    options: CreateOptions,
  ): Promise<{ id: string; token?: string; scopes?: readonly string[] }>;
  revokeApiKey(keyId: string, options?: ProviderCallOptions): Promise<void>;
  withKey(token: string): AccountProvider;
}

export interface AccountProvider {
  /** Without a secret the webhook is of no use: it was shown to an earlier request if `isWithheld`, else the provider does not sign. */
  createWebhook(
    request: { url: string; events: readonly string[] },
    options: CreateOptions,
  ): Promise<{ id?: string; signingSecret?: string; isWithheld?: boolean }>;
  deleteWebhook(webhookId: string, options?: ProviderCallOptions): Promise<void>;
  createDomain(request: { name: string }, options: CreateOptions): Promise<ProviderDomain>;
  getDomain(domainId: string, options?: ProviderCallOptions): Promise<ProviderDomain>;
  /** Asks the provider to check the DNS now. Succeeds if the provider does not offer the call. */
  requestVerification(domainId: string, options: CreateOptions): Promise<void>;
  deleteDomain(domainId: string, options?: ProviderCallOptions): Promise<void>;
  /** @param request.name beyond the specification; left out unless the onboarding has one */
  createSender(request: { fromAddress: string; name?: string }, options: CreateOptions): Promise<{ id: string }>;
  /** Beyond the specification. */
  renameSender(senderId: string, name: string, options?: ProviderCallOptions): Promise<void>;
  deleteSender(senderId: string, options?: ProviderCallOptions): Promise<void>;
  sendEmail(
    request: { senderId: string; recipient: string; subject: string; body: string },
    options: CreateOptions,
  ): Promise<ProviderEmail>;
  getEmail(emailId: string, options?: ProviderCallOptions): Promise<ProviderEmail>;
}
