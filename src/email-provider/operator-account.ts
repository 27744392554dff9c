// The port to a provider at which all tenants send through one account, the operator's. Its creations cannot be repeated safely, so each
// is looked for and noted before (src/activities/onboarding/make-once.ts). What differs between such providers is in `facts` and in the
// optional methods; nothing outside of the adapters compares a provider's name. Every call throws ProviderError (an error answer, with its
// meaning) or ProviderUnreachable (no usable answer); both say whether the provider may have acted.
import type { Bounce } from '../onboarding/provider-event.ts';
import type { CreateOptions, ProviderCallOptions, ProviderDomain, ProviderEmail } from './email-provider.ts';

/**
 * The name of what sendoff makes for one tenant: `so-` and 32 hex digits of SHA-256 of the installation and the tenant, because names and
 * tags at providers allow no `.` or `/`. What carries another mark is never changed or deleted.
 */
export type Mark = `so-${string}`;

/** Whose call it is. */
export interface MarkedTenant {
  readonly mark: Mark;
  /** The tenant's key if it came with the tenant's account and sendoff holds it. */
  readonly token?: string;
}

/** A tenant may have one for each domain. */
export interface MarkedSender extends MarkedTenant {
  readonly fromAddress: string;
}

export interface ProviderFacts {
  /**
   * The safeguard against sending a repeated email twice. `key`: the provider remembers the Idempotency-Key for this time. `look-up` and
   * `event`: an accepted email is found by its intent, in the provider's list or in its events, usually within `settleMs`.
   */
  readonly sendOnce:
    | { readonly kind: 'key'; readonly lifetimeMs: number }
    | { readonly kind: 'look-up' | 'event'; readonly settleMs: number };
  /** Whether the provider can be asked for an email's outcome; else only its events have it. */
  readonly delivery: { readonly poll: boolean };
  /** Requests to the account, of all its keys. */
  readonly requestsPerSecond: number;
  /** How many of them a step makes: the most, usually, and on the average of an onboarding. */
  readonly requestsOfStep: { readonly most: number; readonly average: number };
}

/** What stands in the way of every tenant. `remedy` names the setting, or what the operator does at the provider. */
export interface AccountProblem {
  readonly code: string;
  /** It may end without a change of the settings: a Worker starts all the same. */
  readonly passes?: true;
  readonly remedy: string;
}

/** A tenant's own part of the operator's account. */
interface TenantAccount {
  readonly id: string;
  /** The tenant's key, where it comes with the account. */
  readonly token?: string;
}

/** Of a call that looks for what an earlier one may have made. */
export interface LookOptions extends ProviderCallOptions {
  /** The tenant has no earlier call whose answer was lost: what the provider listed a minute ago will do. @default false */
  readonly isFirst?: boolean;
}

/** `mark` where the provider can keep one with the domain. */
interface MarkedDomain extends ProviderDomain {
  readonly mark?: string;
}

interface OutgoingEmail extends MarkedTenant {
  readonly from: { readonly address: string; readonly name?: string };
  readonly recipient: string;
  readonly subject: string;
  readonly body: string;
  /** The same for every request to send this email, which carries it; 32 hex digits. */
  readonly intentId: string;
}

interface TenantAccounts {
  /** Or completes what an earlier call has left. */
  open(tenant: MarkedTenant, options?: ProviderCallOptions): Promise<TenantAccount>;
  /** Undefined unless the account is complete. */
  find(tenant: MarkedTenant, options?: ProviderCallOptions): Promise<TenantAccount | undefined>;
  /** Deletes every part of it. `id` null: there was none. `kept`: why it is not deleted. @param tenant.id if the answer of `open` has arrived */
  close(
    tenant: MarkedTenant & { readonly id?: string },
    options?: ProviderCallOptions,
  ): Promise<{ readonly id: string | null; readonly kept?: string }>;
}

/** Of a tenant's account; their requests only wake a wait, so they may be missing. */
interface TenantWebhooks {
  /** @param webhook.headers which its requests carry */
  create(
    webhook: { readonly url: string; readonly headers: Readonly<Record<string, string>> },
    tenant: MarkedTenant,
    options?: ProviderCallOptions,
  ): Promise<{ readonly id: string }>;
  /** Deletes those with this URL. Returns their ids. */
  delete(url: string, tenant: MarkedTenant, options?: ProviderCallOptions): Promise<readonly string[]>;
}

/** Posts the events of all tenants to one URL. */
export interface AccountWebhook {
  readonly id: string;
  readonly url: string;
  /** Why it does not report all events, and what the operator does. */
  readonly fault?: string;
  /** No server has confirmed it: creating it again asks again, and the provider forgets it by itself. */
  readonly isPending?: true;
}

/** The webhooks of the account, those of other programs included. */
export interface AccountWebhooks {
  /** The setting of a secret that the provider makes and shows once. */
  readonly secretSetting?: string;
  list(options?: ProviderCallOptions): Promise<readonly AccountWebhook[]>;
  create(url: string, options?: ProviderCallOptions): Promise<{ readonly secret?: string }>;
  delete(id: string, options?: ProviderCallOptions): Promise<void>;
}

export interface OperatorAccount {
  readonly facts: ProviderFacts;
  /** For the start of a Worker, and `sendoff doctor`. Changes nothing. Empty if tenants can be onboarded. */
  examine(options?: ProviderCallOptions): Promise<readonly AccountProblem[]>;

  /** Absent where tenants have no part of their own. */
  readonly accounts?: TenantAccounts;
  /** Absent where webhooks belong to the operator's account. */
  readonly webhooks?: TenantWebhooks;
  /** Absent where each tenant has its own. */
  readonly accountWebhooks?: AccountWebhooks;

  createDomain(request: { name: string } & MarkedTenant, options?: ProviderCallOptions): Promise<MarkedDomain>;
  /** Undefined if the operator's account has no domain of this name. @param name lower case */
  findDomain(name: string, options?: LookOptions): Promise<MarkedDomain | undefined>;
  getDomain(domainId: string, options?: ProviderCallOptions): Promise<ProviderDomain>;
  /**
   * Starts the provider's check, or starts it again; absent where it needs no start. Returns the domain after a check that is over, and undefined
   * while it is under way.
   */
  requestVerification?(domainId: string, options?: ProviderCallOptions): Promise<ProviderDomain | undefined>;
  deleteDomain(domainId: string, options?: ProviderCallOptions): Promise<void>;

  /**
   * Makes the tenant able to send from the domain, and replaces what an earlier call has left with the mark. Throws `notVerified` (F2). `token`:
   * the tenant's key, where it comes with the sender; it is shown once.
   */
  createSender(
    request: { domainId: string } & MarkedSender,
    options?: LookOptions,
  ): Promise<{ readonly id: string; readonly token?: string }>;
  /** Absent where a sender is a key, which another one replaces, or nothing at the provider. */
  findSender?(sender: MarkedSender, options?: ProviderCallOptions): Promise<{ readonly id: string } | undefined>;
  /** Returns the ids of what it has deleted: of keys all with this mark. Absent where a sender is nothing at the provider. */
  deleteSenders?(sender: MarkedSender, options?: ProviderCallOptions): Promise<readonly string[]>;

  /**
   * `id` null: refused for its recipient before an email existed, which is an outcome.
   *
   * @param options.idempotencyKey honoured if `facts.sendOnce` is `key`
   */
  sendEmail(
    email: OutgoingEmail,
    options: CreateOptions,
  ): Promise<{ readonly id: string } | { readonly id: null; readonly bounce: Bounce }>;
  /** An accepted email by its intent; required if `facts.sendOnce` is `look-up`. @param email.since RFC 3339 UTC */
  findEmail?(
    email: { readonly intentId: string; readonly since: string } & MarkedTenant,
    options?: ProviderCallOptions,
  ): Promise<{ readonly id: string } | undefined>;
  getEmail(emailId: string, tenant: MarkedTenant, options?: ProviderCallOptions): Promise<ProviderEmail>;
  close(): Promise<void>;
}
