import type { ExpectedRecord } from '../lib/dns/expected-record.ts';
import type { DomainCheck } from '../lib/dns/check-records.ts';
import type { EmailProvider } from '../email-provider/email-provider.ts';
import type { Register } from '../store/register.ts';
import type { SecretStore } from '../store/secret-store.ts';

export interface ActivityDependencies {
  readonly provider: EmailProvider;
  readonly secrets: SecretStore;
  readonly register: Register;
  /** A look at the zone's authoritative servers. */
  readonly checkRecords: (domain: string, expected: readonly ExpectedRecord[]) => Promise<DomainCheck>;
  /** Where the provider's webhooks for a tenant reach us; undefined when they cannot, and polling does all the work. */
  readonly webhookUrl: ((tenantId: string) => string) | undefined;
}
