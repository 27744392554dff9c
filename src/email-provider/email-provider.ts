// The port: what the Activities need of whatever serves the email API of the specification.
// Every call throws ProviderError (an answer that is no success) or ProviderUnreachable (no usable answer).

export interface CallOptions {
  /** Aborts the request when the Activity is cancelled or timed out. */
  readonly signal?: AbortSignal;
}
export interface CreateOptions extends CallOptions {
  /** The same key never creates twice; a repetition gets the first answer again. */
  readonly idempotencyKey: string;
}

export interface ProviderRecord {
  readonly purpose: string;
  readonly type: string;
  /** Absolute, without a final dot. */
  readonly name: string;
  /** Relative to the zone; absent at a provider that does not tell. */
  readonly host?: string;
  /** The zone that the host is relative to; null or absent while it is not known. */
  readonly zone?: string | null;
  readonly value: string;
  readonly required: boolean;
  readonly status: 'missing' | 'wrong' | 'found' | 'inconclusive';
  readonly findings: readonly {
    readonly code: string;
    readonly name: string;
    readonly found: readonly string[];
    readonly fix: string;
    readonly publish?: { readonly type: string; readonly host: string; readonly value: string };
  }[];
}

export interface ProviderDomain {
  readonly id: string;
  readonly name: string;
  /** Only `verified` is given a meaning by the specification. */
  readonly status: string;
  readonly records: readonly ProviderRecord[];
}

export interface ProviderBounce {
  readonly category: string;
  readonly reason: string;
  readonly smtpCode: number | null;
  readonly enhancedCode: string | null;
  readonly diagnostic: string | null;
  readonly remoteMta: string | null;
}

export interface ProviderEmail {
  readonly id: string;
  /** `delivered` and `bounced` are final; anything else is on its way. */
  readonly status: string;
  readonly deliveredAt: string | null;
  readonly bounce: ProviderBounce | null;
  /** What the newest delivery attempt came to, for people. */
  readonly lastAttempt: string | null;
}

export interface EmailProvider {
  /** `token` is absent when a repetition comes too late for the provider to show it again. */
  createApiKey(
    request: { account: string; name: string },
    options: CreateOptions,
  ): Promise<{ id: string; token?: string }>;
  revokeApiKey(keyId: string, options?: CallOptions): Promise<void>;
  /** What an account's key can do. */
  withKey(token: string): AccountProvider;
}

export interface AccountProvider {
  createWebhook(
    request: { url: string; events: readonly string[] },
    options: CreateOptions,
  ): Promise<{ id: string; signingSecret?: string }>;
  deleteWebhook(webhookId: string, options?: CallOptions): Promise<void>;
  createDomain(request: { name: string }, options: CreateOptions): Promise<ProviderDomain>;
  getDomain(domainId: string, options?: CallOptions): Promise<ProviderDomain>;
  /** Asks the provider to look at the DNS now; no error when it has no such call. */
  requestVerification(domainId: string, options: CreateOptions): Promise<void>;
  deleteDomain(domainId: string, options?: CallOptions): Promise<void>;
  createSender(request: { fromAddress: string }, options: CreateOptions): Promise<{ id: string }>;
  deleteSender(senderId: string, options?: CallOptions): Promise<void>;
  sendEmail(
    request: { senderId: string; recipient: string; subject: string; body: string },
    options: CreateOptions,
  ): Promise<{ id: string; status: string }>;
  getEmail(emailId: string, options?: CallOptions): Promise<ProviderEmail>;
}
