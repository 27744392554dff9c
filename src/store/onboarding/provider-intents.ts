import type { ProviderName } from '../../onboarding/provider-name.ts';

/** What may be created only once, at a provider that would create it again for a repeated request. */
export interface IntentKey {
  readonly provider: ProviderName;
  readonly kind: 'account' | 'webhook' | 'domain' | 'sender' | 'email';
  /** The mark of the account or webhook, the name of the domain, both for the sender, or the Idempotency-Key of the email. */
  readonly subject: string;
}

/** A note, written before the request: the request may have been sent since. */
export interface Intent {
  readonly tenantId: string;
  readonly attemptId: string;
  /** Null until an answer has named what was created. */
  readonly resourceId: string | null;
  /** By Temporal's clock, RFC 3339 UTC. */
  readonly notedAt: string;
}

/** That a person let an email be sent once more. */
export interface Release {
  readonly by: string;
  /** What the person saw at the provider. */
  readonly reason: string;
  /** RFC 3339 UTC. */
  readonly at: string;
}

/** Each method is one short transaction. */
export interface ProviderIntents {
  get(key: IntentKey): Promise<Intent | undefined>;
  /** Returns the note that stands: an earlier one, which may be another tenant's, or this one, which `isNew`. */
  note(
    key: IntentKey,
    by: Pick<Intent, 'tenantId' | 'attemptId' | 'notedAt'> & {
      /** What an email carries, so that its events name it before its id is known. */
      readonly intentId?: string;
      /** What an earlier note of the tenant names is gone, or will be: that note gives way. */
      readonly replaces?: true;
    },
  ): Promise<Intent & { readonly isNew: boolean }>;
  /** How often a person has released this email. */
  releasesOf(email: IntentKey, tenantId: string): Promise<number>;
  /**
   * Sets the note of an email aside, so that the next attempt notes and sends it again. Its events still find the tenant.
   * @param email with the `notedAt` of the note
   * @returns `reported`: an event names the email, so it was accepted; `none`: no such note stands
   */
  release(
    email: Pick<Intent, 'tenantId' | 'notedAt'> & Pick<IntentKey, 'provider'>,
    release: Release,
  ): Promise<'released' | 'reported' | 'none'>;
  /** Of these emails, by tenant. */
  releases(emails: readonly Pick<Intent, 'tenantId' | 'notedAt'>[]): Promise<ReadonlyMap<string, Release>>;
  setMade(key: IntentKey, made: { readonly resourceId: string; readonly attemptId: string }): Promise<void>;
  /** After a deletion, or when the provider has shown that it created nothing. */
  forget(key: IntentKey): Promise<void>;
}
